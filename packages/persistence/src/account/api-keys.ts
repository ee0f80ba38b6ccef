import { KEY_SCOPES, type KeyScope } from '@artist-watch/domain/account/key-scopes';
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
  /** What its owner calls it. */
  readonly name: string | null;
  /** `operator`, or the address of a member; null where it is not known. */
  readonly createdBy: string | null;
  readonly scopes: readonly KeyScope[];
  /** Up to half a minute behind. */
  readonly lastUsedAt: Date | null;
}

export interface ApiKeyIssuer {
  /** @throws NotFound (account), PlanLimitReached; revoked keys do not count. */
  issue(key: {
    readonly id: ApiKeyId;
    readonly accountId: AccountId;
    readonly secretSha256: Uint8Array;
    readonly hint: string;
    readonly name?: string | undefined;
    readonly createdBy: string;
    /** All of them unless given. */
    readonly scopes?: readonly KeyScope[] | undefined;
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
  /** Newest first. */
  page(request: {
    readonly accountId: AccountId;
    /** The last key of the page before. */
    readonly before?: ApiKeyId | undefined;
    readonly limit: number;
  }): Promise<ApiKeyRecord[]>;
}

export function apiKeyIssuer(database: Database): ApiKeyIssuer {
  return {
    issue({ id, accountId, secretSha256, hint, name = null, createdBy, scopes = KEY_SCOPES, now }) {
      return withAccountLocked(database, accountId, async (transaction, { limits }) => {
        const valid = await transaction.apiKey.count({ where: { accountId, revokedAt: null } });
        if (valid >= limits.keys) throw new PlanLimitReached('API keys', limits.keys);
        const row = await transaction.apiKey.create({
          data: {
            ...{ id, accountId, secretSha256: Uint8Array.from(secretSha256), hint, name, createdBy },
            ...{ scopes: [...scopes], createdAt: now },
          },
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

    async page({ accountId, before, limit }) {
      const rows = await database.prisma.apiKey.findMany({
        where: { accountId, ...(before !== undefined && { id: { lt: before } }) },
        orderBy: { id: 'desc' },
        take: limit,
      });
      return rows.map(toRecord);
    },
  };
}

function toRecord({ secretSha256: _, ...row }: ApiKey): ApiKeyRecord {
  return { ...row, id: row.id as ApiKeyId, accountId: row.accountId as AccountId, scopes: row.scopes as KeyScope[] };
}
