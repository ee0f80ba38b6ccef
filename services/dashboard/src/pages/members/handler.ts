import type { MemberRole } from '@artist-watch/domain/account/actor';
import { PLANS } from '@artist-watch/domain/account/plans';
import { NotFound } from '@artist-watch/domain/refusals';
import { memberStore } from '@artist-watch/persistence/account/members';
import { mailPreferenceStore } from '@artist-watch/persistence/mail/preferences';
import { newId } from '@artist-watch/runtime/ids';
import { isEmailAddress } from '../../application/fields.js';
import type { Page, PageProblem, Reply, Visit } from '../../application/page.js';
import { actOrExplain, get, page, post, redirect } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { membersView } from './view.js';

export function membersPages({ reads, writes, onMailWritten }: PageParts): Page[] {
  const members = memberStore(writes);
  const show = async (visit: Visit, problem?: PageProblem): Promise<Reply> => {
    const { account, member: you, form, link } = visit;
    const [rows, refused] = await Promise.all([
      memberStore(reads).list(account.id),
      // Members whose last email was rejected by the mail server, whether permanently or temporarily.
      mailPreferenceStore(reads).refusals(account.id),
    ]);
    const { seats } = PLANS[account.plan];
    const email = problem && (form.get('email') ?? '').trim();
    const view = { link, you, members: rows, refused, seats, problem: problem?.text, email };
    return page('Members', membersView(view), problem?.status);
  };
  const act = (visit: Visit, notice: string, work: () => Promise<unknown>) =>
    actOrExplain(visit, show, async () => {
      await work();
      return redirect('/members', notice);
    });
  return [
    get('/members', 'member', (visit) => show(visit)),
    post('/members/invite', 'owner with code', async (visit) => {
      const { account, actor: by, form, now } = visit;
      const email = (form.get('email') ?? '').trim();
      if (!isEmailAddress(email)) {
        return show(visit, { text: 'Enter an email address, such as ann@label.example.', status: 400 });
      }
      return act(visit, `Invitation sent to ${email}.`, async () => {
        await members.add({ id: newId('mem', now), accountId: account.id, email, role: roleOf(form), by, now });
        onMailWritten();
      });
    }),
    post('/members/:member/role', 'owner with code', async (visit) => {
      const { account, actor: by, form, now } = visit;
      const { email } = await findMember(visit);
      const role = roleOf(form);
      const notice = role === 'owner' ? `${email} is now an owner.` : `${email} is now a member.`;
      return act(visit, notice, () => members.setRole({ accountId: account.id, email, role, by, now }));
    }),
    post('/members/:member/remove', 'owner with code', async (visit) => {
      const { account, actor: by, now } = visit;
      const { email } = await findMember(visit);
      return act(visit, `${email} removed.`, () => members.remove({ accountId: account.id, email, by, now }));
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
