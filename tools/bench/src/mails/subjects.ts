import type pg from 'pg';

export const MORNING = new Date('2026-05-03T08:01:00.000Z');

const READINGS_A_DAY = 96;

/** Each account has one member, who gets a daily digest. All artists changed on the same day. */
export async function seedSubjects(
  pool: pg.Pool,
  { accounts, artists, changes }: { readonly accounts: number; readonly artists: number; readonly changes: number },
): Promise<void> {
  await pool.query(
    `WITH account AS (
       INSERT INTO accounts (id, name, plan, created_at)
       SELECT new_id('acc', $1::timestamptz - interval '9 days'), 'Label ' || n, 'business', $1::timestamptz - interval '9 days'
         FROM generate_series(1, $2) n RETURNING id
     ), member AS (
       INSERT INTO members (id, account_id, email, role, created_at, joined_at, digest)
       SELECT new_id('mem', $1), id, id || '@label.example', 'owner', $1::timestamptz - interval '9 days',
              $1::timestamptz - interval '9 days', 'daily' FROM account
     ), artist AS (
       INSERT INTO artists (id, platform, platform_id, name, created_at)
       SELECT new_id('art', $1), 'deezer', 'digest-' || n, 'Artist ' || n, $1::timestamptz - interval '9 days'
         FROM generate_series(1, $3) n RETURNING id
     ), day AS (
       INSERT INTO artist_days (artist_id, day, readings, complete_readings)
       SELECT id, '2026-05-02', ${READINGS_A_DAY}, ${READINGS_A_DAY - 1} FROM artist
     ), watch AS (
       INSERT INTO watches (id, account_id, artist_id, created_at)
       SELECT new_id('wat', $1), account.id, artist.id, $1::timestamptz - interval '9 days' FROM account, artist
     ), change AS (
       INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                            detected_at, confirmed_at, webhook_body)
       SELECT new_id('chg', at), id, 'confirmed', 'release_title_changed', 'warning', 'release', n::text, 'Release ' || n,
              'The title of the release “Release ' || n || '” changed from “A” to “B”.', at, at, '{}'
         FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM artist LIMIT $4) a,
              LATERAL (SELECT $1::timestamptz - interval '1 hour' - n * interval '1 second' AS at) i
       RETURNING id, confirmed_at, severity
     )
     INSERT INTO feed_items (account_id, confirmed_at, change_id, severity)
     SELECT account.id, change.confirmed_at, change.id, change.severity FROM account, change`,
    [MORNING, accounts, artists, changes],
  );
  await pool.query('ANALYZE');
}

export async function seedMembers(pool: pg.Pool, emails: readonly string[]): Promise<void> {
  await pool.query(
    `WITH account AS (INSERT INTO accounts (id, name, plan, created_at) VALUES (new_id('acc', now()), 'Label', 'business', now())
       RETURNING id)
     INSERT INTO members (id, account_id, email, role, created_at, digest)
     SELECT new_id('mem', now()), account.id, email, 'member', now(), 'never' FROM account, unnest($1::text[]) email`,
    [emails],
  );
}
