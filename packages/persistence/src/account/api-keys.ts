import type { AccountId, ApiKeyId } from '@artist-watch/domain/ids';
import { NotFound, PlanLimitReached } from '@artist-watch/domain/refusals';
import type { Database } from '../database/database.js';
import type { ApiKey } from '../generated/prisma/client.js';
import { withAccountLocked } from './lock.js';

/** A key as its owner sees it in a list: the key itself is known to nobody but its holder. */
export interface ApiKeyRecord {
  readonly id: ApiKeyId;
  readonly accountId: AccountId;
  /** First characters of the key. */
  readonly hint: string;
  readonly createdAt: Date;
  /** Null while it is valid. */
  readonly revokedAt: Date | null;
}

export interface ApiKeyIssuer {
  /** @throws NotFound (account), PlanLimitReached; revoked keys do not count. */
  issue(key: {
    readonly id: ApiKeyId;
    readonly accountId: AccountId;
    readonly secretSha256: Uint8Array;
    readonly hint: string;
    readonly now: Date;
  }): Promise<ApiKeyRecord>;
  /**
   * A key that was revoked before keeps its first instant.
   *
   * @throws NotFound
   */
  revoke(id: ApiKeyId, now: Date): Promise<ApiKeyRecord>;
  /** Oldest first, revoked ones too. */
  list(accountId: AccountId): Promise<ApiKeyRecord[]>;
}

export function apiKeyIssuer(database: Database): ApiKeyIssuer {
  return {
    issue({ id, accountId, secretSha256, hint, now }) {
      return withAccountLocked(database, accountId, async (transaction, { limits }) => {
        const valid = await transaction.apiKey.count({ where: { accountId, revokedAt: null } });
        if (valid >= limits.keys) throw new PlanLimitReached('API keys', limits.keys);
        const row = await transaction.apiKey.create({
          data: { id, accountId, secretSha256: Uint8Array.from(secretSha256), hint, createdAt: now },
        });
        return toRecord(row);
      });
    },

    async revoke(id, now) {
      await database.prisma.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } });
      const row = await database.prisma.apiKey.findUnique({ where: { id } });
      if (!row) throw new NotFound('API key');
      return toRecord(row);
    },

    async list(accountId) {
      const rows = await database.prisma.apiKey.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
      return rows.map(toRecord);
    },
  };
}

function toRecord({ id, accountId, hint, createdAt, revokedAt }: ApiKey): ApiKeyRecord {
  return { id: id as ApiKeyId, accountId: accountId as AccountId, hint, createdAt, revokedAt };
}
