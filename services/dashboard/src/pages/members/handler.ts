import type { MemberRole } from '@artist-watch/domain/account/actor';
import { PLANS } from '@artist-watch/domain/account/plans';
import { NotFound } from '@artist-watch/domain/refusals';
import { memberStore } from '@artist-watch/persistence/account/members';
import { mailPreferenceStore } from '@artist-watch/persistence/mail/preferences';
import { newId } from '@artist-watch/runtime/ids';
import { isEmailAddress } from '../../application/fields.js';
import type { Page, PageProblem, Reply, Visit } from '../../application/page.js';
import { get, orShow, page, post, redirect } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { membersView } from './view.js';

/** `/members`: who has a seat. Owners invite, remove and promote. */
export function membersPages({ reads, writes, onMailWritten }: PageParts): Page[] {
  const members = memberStore(writes);
  const show = async (visit: Visit, problem?: PageProblem): Promise<Reply> => {
    const { account, member: you, form, link } = visit;
    const [rows, refused] = await Promise.all([
      memberStore(reads).list(account.id),
      // Whose last mail was refused by the mail server, for good or so far.
      mailPreferenceStore(reads).refusals(account.id),
    ]);
    const { seats } = PLANS[account.plan];
    const email = problem && (form.get('email') ?? '').trim();
    const view = { link, you, members: rows, refused, seats, problem: problem?.text, email };
    return page('Members', membersView(view), problem?.status);
  };
  /** What the account does not allow is said on the page; an address without a seat is no page. */
  const act = (visit: Visit, notice: string, work: () => Promise<unknown>) =>
    orShow(visit, show, async () => {
      await work();
      return redirect('/members', notice);
    });
  return [
    get('/members', 'member', (visit) => show(visit)),
    post('/members/invite', 'owner with code', async (visit) => {
      const { account, actor: by, form, now } = visit;
      const email = (form.get('email') ?? '').trim();
      if (!isEmailAddress(email)) {
        return show(visit, { text: 'Type an address, such as ann@label.example.', status: 400 });
      }
      return act(visit, `${email} is invited.`, async () => {
        await members.add({ id: newId('mem', now), accountId: account.id, email, role: roleOf(form), by, now });
        onMailWritten();
      });
    }),
    post('/members/:member/role', 'owner with code', async (visit) => {
      const { account, actor: by, form, now } = visit;
      const { email } = await findMember(visit);
      const role = roleOf(form);
      const notice = role === 'owner' ? `${email} is an owner.` : `${email} is a member.`;
      return act(visit, notice, () => members.setRole({ accountId: account.id, email, role, by, now }));
    }),
    post('/members/:member/remove', 'owner with code', async (visit) => {
      const { account, actor: by, now } = visit;
      const { email } = await findMember(visit);
      return act(visit, `${email} is removed.`, () => members.remove({ accountId: account.id, email, by, now }));
    }),
  ];

  async function findMember({ account, params }: Visit) {
    const found = (await memberStore(reads).list(account.id)).find(({ id }) => id === params.member);
    if (!found) throw new NotFound('member');
    return found;
  }
}

function roleOf(form: URLSearchParams): MemberRole {
  return form.get('role') === 'owner' ? 'owner' : 'member';
}
