import type { SecretBox } from '@artist-watch/persistence/secret-box';
import type pg from 'pg';

export interface DestinationsSeed {
  readonly artist: string;
  readonly urls: readonly string[];
  readonly count: number;
  /** If no box is passed, webhooks are unsigned. */
  readonly box?: SecretBox;
  /** Default: all types. */
  readonly typeOf?: (number: number) => string;
}

const DESTINATIONS_AN_ACCOUNT = 10;

export async function seedDestinations(
  pool: pg.Pool,
  { artist, urls, count, box, typeOf }: DestinationsSeed,
): Promise<void> {
  const accounts = Math.ceil(count / DESTINATIONS_AN_ACCOUNT);
  await pool.query(
    `INSERT INTO artists (id, platform, platform_id, name, created_at) VALUES ('art_' || $1, 'deezer', $1, $1, now())`,
    [artist],
  );
  await pool.query(
    `INSERT INTO accounts (id, name, plan, created_at)
     SELECT 'acc_' || $1::text || n, 'Label', 'business', now() FROM generate_series(1, $2::int) AS n`,
    [artist, accounts],
  );
  await pool.query(
    `INSERT INTO watches (id, account_id, artist_id, created_at)
     SELECT new_id('wat', now()), 'acc_' || $1::text || n, 'art_' || $1, now() FROM generate_series(1, $2::int) AS n`,
    [artist, accounts],
  );
  const ids = Array.from({ length: count }, (_, index) => `dst_${artist}${index}`);
  await pool.query(
    `INSERT INTO destinations (id, account_id, url, sealed_secret, consecutive_failures, change_types, created_at)
     SELECT d.id, 'acc_' || $1::text || (1 + (d.n - 1) % $2::int), d.url, d.sealed, 0, string_to_array(d.type, ','), now()
       FROM unnest($3::text[], $4::text[], $5::bytea[], $6::text[]) WITH ORDINALITY AS d (id, url, sealed, type, n)`,
    [
      artist,
      accounts,
      ids,
      ids.map((_, index) => urls[index % urls.length]),
      ids.map((id) => box?.seal(`secret of destination ${id}`, id) ?? null),
      ids.map((_, index) => typeOf?.(index) ?? ''),
    ],
  );
}
