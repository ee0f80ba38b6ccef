import type { KeyScope } from '@artist-watch/domain/account/key-scopes';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, ApiKeyId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';

/** Whose request it is. */
export interface KeyHolder {
  readonly keyId: ApiKeyId;
  readonly accountId: AccountId;
  readonly plan: PlanName;
  readonly scopes: readonly KeyScope[];
  /** Below Business: does the account still have a destination, or a delivery to one that it deleted? */
  readonly keepsDestinations: boolean;
}

export interface ApiKeyStore {
  /** The holder of a key that was issued and not revoked; undefined for every other. */
  findHolder(secretSha256: Uint8Array): Promise<KeyHolder | undefined>;
}

export function apiKeyStore(database: Database): ApiKeyStore {
  return {
    async findHolder(secretSha256) {
      const { rows } = await database.pool.query<{
        id: ApiKeyId;
        account_id: AccountId;
        plan: PlanName;
        scopes: KeyScope[];
        keeps_destinations: boolean;
      }>({
        name: 'find-key-holder',
        text: `SELECT k.id, k.account_id, a.plan, k.scopes,
                      a.plan <> 'business'
                      AND (EXISTS (SELECT FROM destinations WHERE account_id = a.id AND deleted_at IS NULL)
                           OR EXISTS (SELECT FROM deliveries WHERE account_id = a.id)) AS keeps_destinations
                 FROM api_keys k JOIN accounts a ON a.id = k.account_id
                WHERE k.secret_sha256 = $1 AND k.revoked_at IS NULL`,
        values: [secretSha256],
      });
      const row = rows[0];
      return (
        row && {
          keyId: row.id,
          accountId: row.account_id,
          plan: row.plan,
          scopes: row.scopes,
          keepsDestinations: row.keeps_destinations,
        }
      );
    },
  };
}
