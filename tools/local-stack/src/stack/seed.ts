import { OPERATOR } from '@artist-watch/domain/account/actor';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { AccountId } from '@artist-watch/domain/ids';
import { apiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import { memberStore } from '@artist-watch/persistence/account/members';
import { accountStore } from '@artist-watch/persistence/account/store';
import { watchStore } from '@artist-watch/persistence/account/watches';
import type { Database } from '@artist-watch/persistence/database/database';
import { newId } from '@artist-watch/runtime/ids';

export interface SeededAccount {
  readonly id: string;
  readonly apiKey: string;
  readonly memberEmail: string;
}

const ownerEmail = 'owner@label.example';

/** Returns the account from an earlier run, or creates one on the Business plan. */
export async function seedAccount(
  database: Database,
  earlier: Omit<SeededAccount, 'memberEmail'> | undefined,
): Promise<SeededAccount> {
  const accounts = accountStore(database);
  const keys = apiKeyIssuer(database);
  if (earlier && (await accounts.find(earlier.id as AccountId))) {
    const issued = await keys.list(earlier.id as AccountId);
    if (issued.some(({ hint, revokedAt }) => earlier.apiKey.startsWith(hint) && revokedAt === null)) {
      return { ...earlier, memberEmail: await seedOwner(database, earlier.id as AccountId) };
    }
  }
  const now = new Date();
  const account = await accounts.create({ id: newId('acc', now), name: 'Local stack', plan: 'business', now });
  const { key: apiKey } = await keys.issue({ accountId: account.id, by: OPERATOR, now });
  return { id: account.id, apiKey, memberEmail: await seedOwner(database, account.id) };
}

/** Creates an owner if there is none. */
async function seedOwner(database: Database, accountId: AccountId): Promise<string> {
  const members = memberStore(database);
  const owner = (await members.list(accountId)).find(({ role }) => role === 'owner');
  if (owner) return owner.email;
  const now = new Date();
  return (await members.add({ id: newId('mem', now), accountId, email: ownerEmail, role: 'owner', now })).email;
}

/** Skips artists that are already watched. */
export async function seedWatches(
  database: Database,
  accountId: string,
  platform: Platform,
  artists: ReadonlyArray<{ readonly id: string; readonly name: string }>,
): Promise<void> {
  const watches = watchStore(database);
  for (const { id: platformId, name } of artists) {
    const now = new Date();
    await watches.watch({ accountId: accountId as AccountId, platform, platformId, name, now });
  }
}
