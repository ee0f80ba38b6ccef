import type { AccountId } from '@artist-watch/domain/ids';
import { type MemberRecord, memberStore } from '@artist-watch/persistence/account/members';
import type { Database } from '@artist-watch/persistence/database/database';

/** Everybody with a seat, oldest first: 25 at most. */
export async function readMembers(database: Database, accountId: AccountId): Promise<MemberRecord[]> {
  return memberStore(database).list(accountId);
}
