import { createHash, randomBytes } from 'node:crypto';
import { API_KEY_RANDOM_BYTES, makeApiKey } from '@artist-watch/domain/account/credentials';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, ApiKeyId, ArtistId, ChangeId } from '@artist-watch/domain/ids';
import type { StartedService } from '@artist-watch/runtime/lifecycle/lifecycle';
import type pg from 'pg';
import { type ApiAnswer, type ApiCall, callApi } from './api-call.js';
import { expectDocumented } from './documented-answer.js';
import type { Suite } from './suite.js';

export interface ApiUnderTest {
  readonly port: number;
  readonly opsUrl: string;
  /** Throws if the response does not match docs/openapi.json. */
  call(path: string, call?: ApiCall): Promise<ApiAnswer>;
  stop(): Promise<void>;
}

export function apiSettings(suite: Suite): Record<string, string> {
  return {
    DATABASE_URL: suite.databaseUrl,
    REDIS_URL: suite.redisUrl,
    API_PORT: '0',
    OPS_PORT: '0',
    LISTEN_HOST: '127.0.0.1',
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    LOG_LEVEL: 'error',
  };
}

export type StartService = (env: Record<string, string>, signal: AbortSignal) => Promise<StartedService>;

/** The suite stops the service. */
export async function startUnderTest(suite: Suite, start: StartService, settings: Record<string, string>) {
  const stopping = new AbortController();
  const service = await start(settings, stopping.signal);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopping.abort();
    stopped ??= service.stop(AbortSignal.timeout(5_000));
    return stopped;
  };
  suite.onEnd(stop);
  return { service, opsUrl: `http://127.0.0.1:${service.addresses.ops}`, stop };
}

/**
 * The suite stops the replica.
 * @param start `(env, signal) => compose(readConfig(env), signal)`
 */
export async function startApi(
  suite: Suite,
  start: StartService,
  settings: Readonly<Record<string, string>> = {},
): Promise<ApiUnderTest> {
  const { service, opsUrl, stop } = await startUnderTest(suite, start, { ...apiSettings(suite), ...settings });
  const port = Number(service.addresses.api);
  return {
    port,
    opsUrl,
    async call(path, call = {}) {
      const answer = await callApi(port, path, call);
      expectDocumented(call.method ?? 'GET', path, answer);
      return answer;
    },
    stop,
  };
}

export interface SeededKey {
  readonly keyId: ApiKeyId;
  readonly key: string;
}

export interface SeededAccount extends SeededKey {
  readonly accountId: AccountId;
}

export async function seedAccount(pool: pg.Pool, plan: PlanName = 'business'): Promise<SeededAccount> {
  const accountId = await inserted<AccountId>(
    pool,
    `INSERT INTO accounts (id, name, plan, created_at) VALUES (new_id('acc', now()), 'Label', $1, now()) RETURNING id`,
    [plan],
  );
  return { accountId, ...(await seedKey(pool, accountId)) };
}

export async function seedKey(pool: pg.Pool, accountId: AccountId): Promise<SeededKey> {
  const key = makeApiKey(randomBytes(API_KEY_RANDOM_BYTES));
  const keyId = await inserted<ApiKeyId>(
    pool,
    `INSERT INTO api_keys (id, account_id, secret_sha256, hint, created_at)
     VALUES (new_id('key', now()), $1, $2, 'aw_live_', now()) RETURNING id`,
    [accountId, createHash('sha256').update(key).digest()],
  );
  return { keyId, key };
}

export interface ArtistSeed {
  readonly name?: string;
  readonly platformId?: string;
  readonly followers?: number;
  readonly monthlyListeners?: number;
  readonly metricsObservedAt?: Date | null;
  readonly lastCompleteAt?: Date | null;
}

let lastSeededMs = 0;

export async function seedWatchedArtist(pool: pg.Pool, accountId: AccountId, seed: ArtistSeed = {}): Promise<ArtistId> {
  // Lists sort by id, so each id needs a later millisecond.
  lastSeededMs = Math.max(Date.now(), lastSeededMs + 1);
  const artistId = await inserted<ArtistId>(
    pool,
    `INSERT INTO artists (id, platform, platform_id, name, followers, monthly_listeners, created_at)
     VALUES (new_id('art', now()), 'deezer', coalesce($1, new_id('p', now())), $2, $3, $4, now()) RETURNING id`,
    [seed.platformId ?? null, seed.name ?? 'Nina Vale', seed.followers ?? 0, seed.monthlyListeners ?? 0],
  );
  await pool.query(
    `INSERT INTO watches (id, account_id, artist_id, created_at, metrics_observed_at, last_complete_at)
     VALUES (new_id('wat', $5), $1, $2, now(), $3, $4)`,
    [accountId, artistId, seed.metricsObservedAt ?? null, seed.lastCompleteAt ?? null, new Date(lastSeededMs)],
  );
  return artistId;
}

/** Adds one change per time, and returns their ids in this order. */
export async function seedFeed(
  pool: pg.Pool,
  accountId: AccountId,
  artistId: ArtistId,
  confirmedAt: readonly Date[],
): Promise<ChangeId[]> {
  const { rows } = await pool.query<{ id: ChangeId }>(
    `WITH change AS (
       INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                            detected_at, confirmed_at, webhook_body)
       SELECT new_id('chg', at), $2, 'confirmed', 'release_removed', 'critical', 'release', 'r' || place, 'Night Drive',
              'The release "Night Drive" is no longer available.', at - interval '30 minutes', at, '{}'
         FROM unnest($3::timestamptz[]) WITH ORDINALITY AS instant (at, place)
       RETURNING id, confirmed_at, entity_id, severity
     ), feed AS (
       INSERT INTO feed_items (account_id, confirmed_at, change_id, severity)
       SELECT $1, confirmed_at, id, severity FROM change
     )
     SELECT id FROM change ORDER BY substr(entity_id, 2)::int`,
    [accountId, artistId, confirmedAt],
  );
  return rows.map((row) => row.id);
}

async function inserted<Id>(pool: pg.Pool, text: string, values: unknown[]): Promise<Id> {
  const { rows } = await pool.query<{ id: Id }>(text, values);
  return (rows[0] as { id: Id }).id;
}
