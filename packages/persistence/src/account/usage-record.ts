import type { AccountId, ApiKeyId, FeedTokenId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import type { Database } from '../database/database.js';

/** What a replica of the api has seen since it last wrote it down. */
export interface SeenUsage {
  readonly requests: readonly {
    readonly accountId: AccountId;
    /** `YYYY-MM-DD`, UTC. */
    readonly day: string;
    readonly count: number;
  }[];
  /** And tokens of feeds. */
  readonly keys: readonly { readonly keyId: ApiKeyId | FeedTokenId; readonly lastUsedAt: Date }[];
}

export interface UsageRecord {
  /** One statement for each kind; adds to what other replicas wrote. */
  add(seen: SeenUsage): Promise<void>;
}

export function usageRecord({ pool }: Database): UsageRecord {
  return {
    async add({ requests, keys }) {
      // All replicas write rows in one order, so that none waits for another in a circle.
      if (requests.length > 0) {
        await pool.query(
          `INSERT INTO request_days AS d (account_id, day, requests)
           SELECT * FROM unnest($1::text[], $2::date[], $3::int[]) AS u (account_id, day, requests)
            ORDER BY account_id, day
           ON CONFLICT (account_id, day) DO UPDATE SET requests = d.requests + excluded.requests`,
          [requests.map((one) => one.accountId), requests.map((one) => one.day), requests.map((one) => one.count)],
        );
      }
      const isFeed = ({ keyId }: (typeof keys)[number]) => keyId.startsWith('fed_');
      await recordUse(
        pool,
        'api_keys',
        keys.filter((key) => !isFeed(key)),
      );
      await recordUse(pool, 'feed_tokens', keys.filter(isFeed));
    },
  };
}

async function recordUse(pool: pg.Pool, table: 'api_keys' | 'feed_tokens', used: SeenUsage['keys']): Promise<void> {
  if (used.length === 0) return;
  await pool.query(
    `WITH used AS (SELECT * FROM unnest($1::text[], $2::timestamptz[]) AS u (id, at)),
          held AS (SELECT k.id FROM ${table} k JOIN used ON used.id = k.id ORDER BY k.id FOR NO KEY UPDATE OF k)
     UPDATE ${table} k SET last_used_at = used.at
       FROM used JOIN held ON held.id = used.id
      WHERE k.id = used.id AND (k.last_used_at IS NULL OR k.last_used_at < used.at)`,
    [used.map((one) => one.keyId), used.map((one) => one.lastUsedAt)],
  );
}
