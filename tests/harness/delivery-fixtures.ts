import type { AccountId, ArtistId, ChangeId, DestinationId } from '@artist-watch/domain/ids';
import type pg from 'pg';

export interface SeededDestination {
  readonly accountId: AccountId;
  readonly artistId: ArtistId;
  readonly destinationId: DestinationId;
}

export interface DestinationSeed {
  readonly kind?: 'webhook' | 'slack' | 'discord';
  readonly url?: string;
  readonly sealedSecret?: Uint8Array | null;
  readonly consecutiveFailures?: number;
  readonly minSeverity?: string | null;
  readonly changeTypes?: readonly string[];
  /** Default: a new artist. */
  readonly artistId?: ArtistId;
}

/** Inserts rows directly, so that delivery tests depend on no other code. */
export async function seedDestination(pool: pg.Pool, seed: DestinationSeed = {}): Promise<SeededDestination> {
  const { rows } = await pool.query<{ account_id: AccountId; artist_id: ArtistId; destination_id: DestinationId }>(
    `WITH account AS (
       INSERT INTO accounts (id, name, plan, created_at) VALUES (new_id('acc', now()), 'Label', 'business', now())
       RETURNING id
     ), artist AS (
       INSERT INTO artists (id, platform, platform_id, name, created_at)
       SELECT new_id('art', now()), 'deezer', new_id('p', now()), 'Nina Vale', now() WHERE $6::text IS NULL
       RETURNING id
     ), subject AS (
       SELECT id FROM artist UNION ALL SELECT $6 WHERE $6 IS NOT NULL
     ), watch AS (
       INSERT INTO watches (id, account_id, artist_id, created_at)
       SELECT new_id('wat', now()), account.id, subject.id, now() FROM account, subject
     ), destination AS (
       INSERT INTO destinations (id, account_id, url, sealed_secret, consecutive_failures, min_severity, change_types,
                                 created_at, kind)
       SELECT new_id('dst', now()), account.id, $1, $2, $3, $4::severity, $5, now(), $7::destination_kind FROM account
       RETURNING id
     )
     SELECT account.id AS account_id, subject.id AS artist_id, destination.id AS destination_id
       FROM account, subject, destination`,
    [
      seed.url ?? 'http://127.0.0.1:9/webhooks',
      seed.sealedSecret ?? null,
      seed.consecutiveFailures ?? 0,
      seed.minSeverity ?? null,
      seed.changeTypes ?? [],
      seed.artistId ?? null,
      seed.kind ?? 'webhook',
    ],
  );
  const row = rows[0];
  if (!row) throw new Error('nothing was seeded');
  return { accountId: row.account_id, artistId: row.artist_id, destinationId: row.destination_id };
}

/** Changes have different times, oldest first, and no feed rows or deliveries. */
export async function seedConfirmedChanges(
  pool: pg.Pool,
  artistId: ArtistId,
  count: number,
  seed: { readonly severity?: string; readonly type?: string } = {},
): Promise<ChangeId[]> {
  const { rows } = await pool.query<{ id: ChangeId }>(
    `INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                          detected_at, confirmed_at, webhook_body)
     SELECT 'chg_' || lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
                   || lpad(to_hex(n), 8, '0') || right(replace(gen_random_uuid()::text, '-', ''), 12),
            $1, 'confirmed', $3, $4::severity, 'release', n::text, 'Release ' || n, 'Release ' || n || ' was removed.',
            at, at, json_build_object('event', 'change.confirmed', 'number', n)::text
       FROM generate_series(1, $2::int) AS n, LATERAL (SELECT now() - ($2 - n) * interval '1 microsecond' AS at) AS own
     RETURNING id`,
    [artistId, count, seed.type ?? 'release_removed', seed.severity ?? 'critical'],
  );
  return rows.map((row) => row.id).sort();
}
