import type { MemberRole } from '@artist-watch/domain/account/actor';
import { PLANS } from '@artist-watch/domain/account/plans';
import { Conflict, NotFound, PlanLimitReached } from '@artist-watch/domain/refusals';
import { memberStore } from '@artist-watch/persistence/account/members';
import type { Database } from '@artist-watch/persistence/database/database';
import { newId } from '@artist-watch/runtime/ids';
import { isEmailAddress } from '../../application/email-address.js';
import { type Page, page, type Reply, redirect, type Visit } from '../../application/page.js';
import { readMembers, readRefusedMails } from './query.js';
import { membersView } from './view.js';

export interface MembersParts {
  readonly reads: Database;
  readonly writes: Database;
  readonly onMailWritten: () => void;
}

/** `/members`: who has a seat. Owners invite, remove and promote. */
export function membersPages({ reads, writes, onMailWritten }: MembersParts): Page[] {
  const members = memberStore(writes);
  const show = async (visit: Visit, problem?: { email?: string; text: string; status: number }): Promise<Reply> => {
    const [rows, refused] = await Promise.all([
      readMembers(reads, visit.account.id),
      readRefusedMails(reads, visit.account.id),
    ]);
    const seats = PLANS[visit.account.plan].seats;
    return page(
      'Members',
      membersView({ ...visit, you: visit.member, members: rows, refused, seats, problem }),
      problem?.status,
    );
  };
  /** What the account does not allow is said on the page; an address without a seat is no page. */
  const act = async (visit: Visit, notice: string, work: () => Promise<unknown>): Promise<Reply> => {
    try {
      await work();
      return redirect('/members', notice);
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof PlanLimitReached)) throw error;
      const email = visit.form.get('email') ?? '';
      return show(visit, { email, text: error.message, status: error instanceof Conflict ? 409 : 403 });
    }
  };
  const owner = { method: 'POST', role: 'owner', needsFreshCode: true } as const;
  return [
    { method: 'GET', path: '/members', answer: (visit) => show(visit) },
    {
      ...owner,
      path: '/members/invite',
      answer: async (visit) => {
        const { account, actor: by, form, now } = visit;
        const email = (form.get('email') ?? '').trim();
        if (!isEmailAddress(email)) {
          return show(visit, { email, text: 'Type an address, such as ann@label.example.', status: 400 });
        }
        return act(visit, `${email} is invited.`, async () => {
          await members.add({ id: newId('mem', now), accountId: account.id, email, role: roleOf(form), by, now });
          onMailWritten();
        });
      },
    },
    {
      ...owner,
      path: '/members/:member/role',
      answer: async (visit) => {
        const { account, actor: by, form, now } = visit;
        const { email } = await findMember(visit);
        const role = roleOf(form);
        const notice = role === 'owner' ? `${email} is an owner.` : `${email} is a member.`;
        return act(visit, notice, () => members.setRole({ accountId: account.id, email, role, by, now }));
      },
    },
    {
      ...owner,
      path: '/members/:member/remove',
      answer: async (visit) => {
        const { account, actor: by, now } = visit;
        const { email } = await findMember(visit);
        return act(visit, `${email} is removed.`, () => members.remove({ accountId: account.id, email, by, now }));
      },
    },
  ];

  async function findMember({ account, params }: Visit) {
    const found = (await readMembers(reads, account.id)).find(({ id }) => id === params.member);
    if (!found) throw new NotFound('member');
    return found;
  }
}

function roleOf(form: URLSearchParams): MemberRole {
  return form.get('role') === 'owner' ? 'owner' : 'member';
}
