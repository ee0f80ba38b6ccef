import type { AccountId, MemberId } from '@artist-watch/domain/ids';
import { Conflict, NotFound, PlanLimitReached } from '@artist-watch/domain/refusals';
import type { Database } from '../database/database.js';
import { withAccountLocked } from './lock.js';

export interface MemberRecord {
  readonly id: MemberId;
  readonly accountId: AccountId;
  readonly email: string;
  readonly createdAt: Date;
}

export interface MemberStore {
  /**
   * Gives a person a seat. Addresses are kept in lower case: nobody has two that differ in case only.
   *
   * @throws NotFound (account), Conflict (has a seat already), PlanLimitReached
   */
  add(member: {
    readonly id: MemberId;
    readonly accountId: AccountId;
    readonly email: string;
    readonly now: Date;
  }): Promise<MemberRecord>;
  /** @throws NotFound */
  remove(member: { readonly accountId: AccountId; readonly email: string }): Promise<MemberRecord>;
  /** Oldest first. */
  list(accountId: AccountId): Promise<MemberRecord[]>;
}

export function memberStore(database: Database): MemberStore {
  return {
    add({ id, accountId, email, now }) {
      const address = email.toLowerCase();
      return withAccountLocked(database, accountId, async (transaction, { limits }) => {
        const seat = { accountId_email: { accountId, email: address } };
        if (await transaction.member.findUnique({ where: seat })) {
          throw new Conflict(`${address} is a member of this account already.`);
        }
        if ((await transaction.member.count({ where: { accountId } })) >= limits.seats) {
          throw new PlanLimitReached('seats', limits.seats);
        }
        return toRecord(await transaction.member.create({ data: { id, accountId, email: address, createdAt: now } }));
      });
    },

    remove({ accountId, email }) {
      return withAccountLocked(database, accountId, async (transaction) => {
        const member = await transaction.member.findUnique({
          where: { accountId_email: { accountId, email: email.toLowerCase() } },
        });
        if (!member) throw new NotFound('member');
        return toRecord(await transaction.member.delete({ where: { id: member.id } }));
      });
    },

    async list(accountId) {
      const rows = await database.prisma.member.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
      return rows.map(toRecord);
    },
  };
}

function toRecord(row: { id: string; accountId: string; email: string; createdAt: Date }): MemberRecord {
  return { ...row, id: row.id as MemberId, accountId: row.accountId as AccountId };
}
