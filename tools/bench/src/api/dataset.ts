import { createHash, randomBytes } from 'node:crypto';
import { API_KEY_RANDOM_BYTES, makeApiKey } from '@artist-watch/domain/account/credentials';
import type pg from 'pg';
import { fillQuickly } from '../processes/bench-servers.js';

export interface Reader {
  readonly accountId: string;
  readonly key: string;
}

export interface Dataset {
  readonly ofOneArtist: readonly Reader[];
  readonly ofManyArtists: readonly Reader[];
}

export const MANY_ARTISTS = 500;

/** With fewer readers, each one would reach its limit of 60,000 requests an hour. */
const READERS_OF_A_KIND = 8;

export const MAX_PAGE_ITEMS = 200;
/** Enough changes for five full pages per reader. */
const CHANGES_A_READER = 5 * MAX_PAGE_ITEMS;

/** All other accounts watch these artists, so each feed contains about one in 10,000 of their changes. */
const OTHER_ARTISTS = 5_000;
const OTHER_ACCOUNTS = 10_000;
const HISTORY_DAYS = 730;

/**
 * Fills an empty database with readers and `changeCount` changes. As in production, changes for different accounts
 * alternate.
 */
export async function seedDataset(pool: pg.Pool, changeCount: number): Promise<Dataset> {
  const readers = await seedReaders(pool);
  const own = 2 * CHANGES_A_READER;
  await fillQuickly(pool, ['changes', 'feed_items'], async (client) => {
    await client.query(INSERT_CHANGES, [changeCount - own, CHANGES_A_READER, MANY_ARTISTS]);
    await client.query(INSERT_FEED_OF_READERS);
    await client.query(INSERT_FEED_OF_OTHERS, [OTHER_ACCOUNTS]);
  });
  // Index-only scans need vacuumed tables. The changes table is left out, because no index-only scan reads it.
  await pool.query('VACUUM feed_items, watches, accounts, api_keys');
  await pool.query('ANALYZE');
  await pool.query('CHECKPOINT');
  return readers;
}

async function seedReaders(pool: pg.Pool): Promise<Dataset> {
  await pool.query(
    `INSERT INTO artists (id, platform, platform_id, name, created_at)
     SELECT ${artistId('kind || n')}, 'deezer', kind || n, 'Nina Vale ' || n, now()
       FROM (VALUES ('one', 1), ('many', $1::int), ('other', $2::int)) AS kinds (kind, count)
      CROSS JOIN LATERAL generate_series(1, count) AS n`,
    [MANY_ARTISTS, OTHER_ARTISTS],
  );
  const kinds = ['one', 'many'] as const;
  const readers = kinds.flatMap((kind) =>
    Array.from({ length: READERS_OF_A_KIND }, (_, index) => ({
      kind,
      accountId: `acc_${kind}${index + 1}`,
      key: makeApiKey(randomBytes(API_KEY_RANDOM_BYTES)),
    })),
  );
  const ids = readers.map((reader) => reader.accountId);
  const digests = readers.map((reader) => createHash('sha256').update(reader.key).digest());
  await pool.query(
    `INSERT INTO accounts (id, name, plan, created_at) SELECT id, 'Label', 'business', now() FROM unnest($1::text[]) AS id`,
    [ids],
  );
  await pool.query(
    `INSERT INTO api_keys (id, account_id, secret_sha256, hint, created_at)
     SELECT 'key_' || id, id, digest, 'aw_live_', now() FROM unnest($1::text[], $2::bytea[]) AS key (id, digest)`,
    [ids, digests],
  );
  await pool.query(
    `INSERT INTO watches (id, account_id, artist_id, created_at)
     SELECT new_id('wat', now()), a.id, t.id, now()
       FROM accounts a JOIN artists t
         ON t.platform_id LIKE CASE WHEN a.id LIKE 'acc_one%' THEN 'one%' ELSE 'many%' END`,
  );
  const of = (kind: (typeof kinds)[number]) => readers.filter((reader) => reader.kind === kind);
  return { ofOneArtist: of('one'), ofManyArtists: of('many') };
}

/** Appends more than a page of changes to the account's feed. */
export async function recordMore(pool: pg.Pool, accountId: string): Promise<void> {
  await pool.query(
    `INSERT INTO feed_items (account_id, confirmed_at, change_id, severity)
     SELECT $1, confirmed_at, id, severity FROM changes c
      WHERE NOT EXISTS (SELECT FROM feed_items f WHERE f.account_id = $1 AND f.change_id = c.id) ORDER BY id DESC LIMIT $2`,
    [accountId, 2 * MAX_PAGE_ITEMS],
  );
}

export function artistIdOf(platformId: string): string {
  return `art_${createHash('md5').update(platformId).digest('hex')}`;
}

/** Returns an SQL expression that produces the same id as `artistIdOf`. */
function artistId(platformId: string): string {
  return `'art_' || md5(${platformId})`;
}

/**
 * $1: number of changes to artists that none of the benchmarked readers watch. $2: number of changes for each kind of
 * reader. $3: number of artists watched by each reader of kind `many`.
 */
const INSERT_CHANGES = `
  INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary, detected_at,
                       confirmed_at, webhook_body)
  SELECT new_id('chg', at), artist_id, 'confirmed', 'release_removed', 'critical', 'release', n::text,
         'Night Drive (Deluxe Edition) ' || n,
         'The release "Night Drive (Deluxe Edition) ' || n || '" by Nina Vale is no longer available.',
         at - interval '30 minutes', at,
         '{"event":"change.confirmed","change_id":"' || n || '","artist_id":"' || artist_id || '","artist":"Nina Vale","artist_platform_id":"27","entity_type":"release","entity_id":"' || n || '","entity_name":"Night Drive (Deluxe Edition) ' || n || '","severity":"critical","change_type":"release_removed","summary":"The release Night Drive (Deluxe Edition) is no longer available."}'
    FROM (
      SELECT n, ${artistId(`'other' || 1 + n % ${OTHER_ARTISTS}`)} AS artist_id,
             date_trunc('milliseconds', now() - n * (interval '${HISTORY_DAYS} days' / $1::int)) AS at
        FROM generate_series(1, $1::int) AS n
      UNION ALL
      SELECT n, artist_id, date_trunc('milliseconds', now() - n * (interval '23 hours' / $2::int))
        FROM generate_series(1, $2::int) AS n
       CROSS JOIN LATERAL (VALUES (${artistId("'one1'")}), (${artistId("'many' || 1 + n % $3::int")})) AS subject (artist_id)
       -- Here, where a row is still narrow.
       ORDER BY at
    ) instant`;

const INSERT_FEED_OF_READERS = `
  INSERT INTO feed_items (account_id, confirmed_at, change_id, severity)
  SELECT w.account_id, c.confirmed_at, c.id, c.severity FROM watches w JOIN changes c ON c.artist_id = w.artist_id`;

const INSERT_FEED_OF_OTHERS = `
  INSERT INTO feed_items (account_id, confirmed_at, change_id, severity)
  SELECT 'acc_other' || (hashtext(id) & 2147483647) % $1::int, confirmed_at, id, severity FROM changes
   WHERE artist_id NOT IN (SELECT artist_id FROM watches)
   ORDER BY 1, 2`;
