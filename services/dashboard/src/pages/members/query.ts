import type { AccountId, MemberId } from '@artist-watch/domain/ids';
import { type MemberRecord, memberStore } from '@artist-watch/persistence/account/members';
import type { Database } from '@artist-watch/persistence/database/database';
import { mailPreferenceStore, type RefusedMail } from '@artist-watch/persistence/mail/preferences';

/** Everybody with a seat, oldest first: 25 at most. */
export async function readMembers(database: Database, accountId: AccountId): Promise<MemberRecord[]> {
  return memberStore(database).list(accountId);
}

/** Whose last mail was refused by the mail server, for good or so far. */
export async function readRefusedMails(
  database: Database,
  accountId: AccountId,
): Promise<ReadonlyMap<MemberId, RefusedMail>> {
  return mailPreferenceStore(database).refusals(accountId);
}
