import { createHash, randomBytes } from 'node:crypto';
import type { ApiKeyItem } from '@artist-watch/contracts/api/account';
import type { Shown } from '@artist-watch/contracts/api/fields';
import type { Actor, Principal } from '@artist-watch/domain/account/actor';
import { API_KEY_RANDOM_BYTES, KEY_SCOPES, type KeyScope, makeApiKey } from '@artist-watch/domain/account/credentials';
import type { AccountId, ApiKeyId } from '@artist-watch/domain/ids';
import { Conflict, NotFound, PlanLimitReached } from '@artist-watch/domain/refusals';
import { newId } from '@artist-watch/runtime/ids';
import type { Database } from '../database/database.js';
import type { ApiKey } from '../generated/prisma/client.js';
import { recordAudit } from './audit.js';
import { withAccountLocked } from './store.js';

/** Returns undefined for unknown or revoked keys. Callers check `expiresAt`, because they cache the result. */
export async function findPrincipal(
  { pool }: Pick<Database, 'pool'>,
  secretSha256: Uint8Array,
): Promise<Principal | undefined> {
  const { rows } = await pool.query<Principal>({
    name: 'find-principal',
    text: `SELECT k.id AS "keyId", k.account_id AS "accountId", a.plan, k.scopes, k.expires_at AS "expiresAt",
                  a.plan <> 'business'
                  AND (EXISTS (SELECT FROM destinations WHERE account_id = a.id AND deleted_at IS NULL)
                       OR EXISTS (SELECT FROM deliveries WHERE account_id = a.id)) AS "keepsDestinations"
             FROM api_keys k JOIN accounts a ON a.id = k.account_id
            WHERE k.secret_sha256 = $1 AND k.revoked_at IS NULL`,
    values: [secretSha256],
  });
  return rows[0];
}

/** The hint shows four characters after the prefix, too few to help anyone guess a key. */
const HINT_CHARS = 12;

/** The database only contains the SHA-256 and a hint, never the secret. */
export function storedSecret(key: string) {
  return { sha256: Uint8Array.from(createHash('sha256').update(key).digest()), hint: key.slice(0, HINT_CHARS) };
}

/** Returns a name such as `CI (aw_live_ab12…)`. */
export function displayName({ name, hint }: { readonly name: string | null; readonly hint: string }): string {
  return name === null ? `${hint}…` : `${name} (${hint}…)`;
}

export interface ApiKeyRecord extends Shown<ApiKeyItem> {
  readonly id: ApiKeyId;
  readonly accountId: AccountId;
}

interface IssuedKey extends ApiKeyRecord {
  /** The secret (packages/domain/src/account/credentials.ts), which is not stored. */
  readonly key: string;
}

export function apiKeyIssuer(database: Database) {
  return {
    /**
     * @throws NotFound (account), Conflict (the id exists), PlanLimitReached (only active keys count toward the limit)
     */
    issue(request: {
      /** Default: a new id. */
      readonly id?: ApiKeyId;
      readonly accountId: AccountId;
      readonly name?: string | undefined;
      readonly by: Actor;
      /** Default: all. */
      readonly scopes?: readonly KeyScope[] | undefined;
      /** Default: never. */
      readonly expiresAt?: Date | null | undefined;
      readonly now: Date;
    }): Promise<IssuedKey> {
      const { accountId, name = null, by, scopes = KEY_SCOPES, expiresAt = null, now } = request;
      const { id = newId('key', now) } = request;
      const key = makeApiKey(randomBytes(API_KEY_RANDOM_BYTES));
      return withAccountLocked(database, accountId, async (transaction, limits) => {
        if (await transaction.apiKey.findUnique({ where: { id }, select: { id: true } })) {
          throw new Conflict('You already created this API key. It is shown only once.');
        }
        const valid = await transaction.apiKey.count({
          where: { accountId, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
        });
        if (valid >= limits.keys) throw new PlanLimitReached('API keys', limits.keys);
        const { sha256: secretSha256, hint } = storedSecret(key);
        const columns = { id, accountId, hint, name, createdBy: by.name, createdAt: now, expiresAt };
        const row = await transaction.apiKey.create({ data: { ...columns, scopes: [...scopes], secretSha256 } });
        await recordAudit(transaction, {
          ...{ accountId, actor: by, action: 'api_key.created', now },
          subject: { id, name: displayName(row) },
          details: { scopes: scopes.join(' ') },
        });
        return { ...toRecord(row), key };
      });
    },

    /**
     * A key that has already been revoked keeps its original revocation time.
     * @param request.accountId undefined for operators.
     * @throws NotFound
     */
    async revoke(request: {
      readonly id: ApiKeyId;
      readonly accountId?: AccountId;
      readonly by: Actor;
      readonly now: Date;
    }): Promise<ApiKeyRecord> {
      const { id, accountId, by, now } = request;
      const where = { id, ...(accountId !== undefined && { accountId }) };
      return (await database.prisma()).$transaction(async (transaction) => {
        const { count } = await transaction.apiKey.updateMany({
          where: { ...where, revokedAt: null },
          data: { revokedAt: now },
        });
        const row = await transaction.apiKey.findUnique({ where });
        if (!row) throw new NotFound('API key');
        const record = toRecord(row);
        if (count > 0) {
          await recordAudit(transaction, {
            ...{ accountId: record.accountId, actor: by, action: 'api_key.revoked', now },
            subject: { id, name: displayName(row) },
          });
        }
        return record;
      });
    },

    async list(accountId: AccountId): Promise<ApiKeyRecord[]> {
      const rows = await (await database.prisma()).apiKey.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
      return rows.map(toRecord);
    },

    /**
     * Returns keys, newest first.
     * @param request.before the last key of the previous page.
     */
    async page(request: {
      readonly accountId: AccountId;
      readonly revoked?: boolean;
      readonly before?: ApiKeyId | undefined;
      readonly limit: number;
    }): Promise<ApiKeyRecord[]> {
      const { accountId, revoked, before, limit } = request;
      const { rows } = await database.pool.query<ApiKeyRecord>({
        name: 'list-api-keys',
        text: `SELECT id, account_id AS "accountId", hint, created_at AS "createdAt", revoked_at AS "revokedAt", name,
                      expires_at AS "expiresAt",
                      created_by AS "createdBy", scopes, last_used_at AS "lastUsedAt"
                 FROM api_keys
                WHERE account_id = $1 AND ($2::text IS NULL OR id < $2)
                  AND ($3::boolean IS NULL OR (revoked_at IS NOT NULL) = $3)
                ORDER BY id DESC LIMIT $4`,
        values: [accountId, before ?? null, revoked ?? null, limit],
      });
      return rows;
    },
  };
}

function toRecord({ secretSha256: _, ...row }: ApiKey): ApiKeyRecord {
  return { ...row, id: row.id as ApiKeyId, accountId: row.accountId as AccountId, scopes: row.scopes as KeyScope[] };
}
