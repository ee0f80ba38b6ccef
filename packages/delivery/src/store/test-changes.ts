import type { ConfirmedChange } from '@artist-watch/contracts/api/change';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { SAMPLE_ARTIST, testChange } from '@artist-watch/contracts/change-examples';
import { webhookBody } from '@artist-watch/contracts/webhook-payload';
import type { Actor } from '@artist-watch/domain/account/actor';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { Severity } from '@artist-watch/domain/change/change-types';
import type { AccountId, ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import { recordAudit } from '@artist-watch/persistence/account/audit';
import { MATCHES_RULES } from '@artist-watch/persistence/change/change-fan-out';
import type { Database } from '@artist-watch/persistence/database/database';
import { inRetriedTransaction } from '@artist-watch/persistence/database/database-errors';
import type { Once } from '@artist-watch/persistence/idempotency-store';
import { ensureArtists } from '@artist-watch/persistence/ingest/known-artists';
import type pg from 'pg';
import { DELIVERY_COLUMNS, type DeliveryRecord } from './record.js';

/** The number of test changes is limited, because reads by other accounts that watch the artist have to skip them. */
export const TEST_CHANGE_LIMITS = [
  { count: 60, windowMs: 3_600_000, window: 'an hour' },
  { count: 200, windowMs: 86_400_000, window: 'a day' },
] as const;

export interface CreatedTestChange {
  readonly change: ConfirmedChange;
  readonly deliveries: readonly DeliveryRecord[];
}

interface TestChangeRequest {
  readonly id: ChangeId;
  readonly accountId: AccountId;
  /** Default: the sample artist. */
  readonly artistId?: ArtistId | undefined;
  readonly type: string;
  readonly severity?: Severity | undefined;
  readonly platform: Platform;
  readonly by: Actor;
  readonly now: Date;
}

/** Setting `test_body` excludes the deliveries from counts and recoveries, as it does for destination tests. */
const INSERT = `
  WITH change AS (
    INSERT INTO changes (id, artist_id, artist_name, state, type, severity, entity_type, entity_id, entity_name, summary,
                         detected_at, confirmed_at, recorded_at, reported_values, is_test, webhook_body)
    VALUES ($1, $2, $3, 'confirmed', $4, $5::severity, $6::entity_type, $7, $8, $9, $10, $10, $10, $11::json, true, $13)
  ), feed AS (
    INSERT INTO test_feed_items (account_id, confirmed_at, change_id, position) VALUES ($12, $10, $1, (SELECT feed_position()))
  )
  INSERT INTO deliveries AS d (id, account_id, destination_id, change_id, test_body, trigger, state, next_attempt_at,
                               relay_at, created_at, settled_at, skipped_reason)
  SELECT new_id('dlv', $10), $12, t.id, $1, $13, 'test',
         CASE WHEN own.is_active THEN 'pending' ELSE 'skipped' END::delivery_state,
         CASE WHEN own.is_active THEN least($10, now()) END, CASE WHEN own.is_active THEN least($10, now()) END, $10,
         CASE WHEN NOT own.is_active THEN $10 END, CASE WHEN NOT own.is_active THEN 'destination_off' END
    FROM (SELECT $2::text AS artist_id, $4::text AS type, $5::severity AS severity) c
    JOIN destinations t ON t.account_id = $12 AND t.deleted_at IS NULL AND NOT t.plan_required AND ${MATCHES_RULES}
   CROSS JOIN LATERAL (SELECT t.state = 'active' AS is_active) own
   ORDER BY t.id
  RETURNING ${DELIVERY_COLUMNS}`;

/**
 * Creates a change that only this account can read, with a delivery for every destination whose rules match
 * (docs/api/requests.md).
 * @throws NotFound if the account does not watch the artist, ApiError `rate_limited`
 */
export function createTestChange(
  { pool, perAccount }: Pick<Database, 'pool' | 'perAccount'>,
  { id, accountId, artistId, type, severity, platform, by: actor, now }: TestChangeRequest,
  once?: Once<CreatedTestChange>,
): Promise<CreatedTestChange> {
  const create = async (client: pg.PoolClient) => {
    await once?.begin(client);
    await requireRoom(client, accountId, now);
    const artist = artistId
      ? await watchedArtist(client, accountId, artistId)
      : await sampleArtist(client, platform, now);
    const change = testChange({ id, type, severity, artist, platform, now });
    const { before, after, entityType, entityId, entityName, summary } = change;
    const { rows } = await client.query<DeliveryRecord>(INSERT, [
      ...[id, artist.id, artist.name, type, change.severity, entityType, entityId, entityName, summary, now],
      ...[JSON.stringify({ before, after }), accountId, webhookBody(change)],
    ]);
    await recordAudit(client, { accountId, actor, action: 'change.tested', now, subject: { id, name: summary } });
    const names = { artistId: artist.id, artistName: artist.name, releaseId: null, releaseName: null };
    const created = { change: { ...change, ...names, recordedAt: now }, deliveries: rows };
    await once?.keep(client, created);
    return created;
  };
  return perAccount.run(accountId, () => inRetriedTransaction(pool, create));
}

/** Locks the account, so that concurrent requests to several replicas are counted one after another. */
async function requireRoom(client: pg.PoolClient, accountId: AccountId, now: Date): Promise<void> {
  await client.query('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  const { rows } = await client.query<{ at: Date | null }>(
    `SELECT (SELECT confirmed_at FROM test_feed_items WHERE account_id = $1
              ORDER BY confirmed_at DESC OFFSET most.count - 1 LIMIT 1) AS at
       FROM unnest($2::int[]) WITH ORDINALITY AS most (count, place) ORDER BY place`,
    [accountId, TEST_CHANGE_LIMITS.map(({ count }) => count)],
  );
  for (const [place, { count, windowMs, window }] of TEST_CHANGE_LIMITS.entries()) {
    const at = rows[place]?.at;
    const waitMs = at ? at.getTime() + windowMs - now.getTime() : 0;
    if (waitMs <= 0) continue;
    const seconds = String(Math.ceil(waitMs / 1_000));
    const message = `Limit reached: ${count} test changes ${window}. Try again in ${seconds} s.`;
    throw new ApiError('rate_limited', message, { headers: { 'Retry-After': seconds } });
  }
}

interface TestedArtist {
  readonly id: ArtistId;
  readonly platformId: string;
  readonly name: string;
}

async function watchedArtist(client: pg.PoolClient, accountId: AccountId, id: ArtistId): Promise<TestedArtist> {
  const { rows } = await client.query<TestedArtist>(
    `SELECT a.id, a.platform_id AS "platformId", a.name FROM watches w JOIN artists a ON a.id = w.artist_id
      WHERE w.account_id = $1 AND w.artist_id = $2`,
    [accountId, id],
  );
  if (!rows[0]) throw new NotFound('artist');
  return rows[0];
}

async function sampleArtist(client: pg.PoolClient, platform: Platform, now: Date): Promise<TestedArtist> {
  const ids = await ensureArtists(client, platform, [SAMPLE_ARTIST], now);
  return { ...SAMPLE_ARTIST, id: ids.get(SAMPLE_ARTIST.platformId) as ArtistId };
}
