import type pg from 'pg';
import { seedDestinations } from '../delivery/seed-destinations.js';
import { fillQuickly } from '../processes/bench-servers.js';

export interface BacklogSeed {
  readonly deliveries: number;
  readonly destinations: number;
  readonly urls: readonly string[];
  /** Number of deliveries that are released but not settled. The rest are not released yet. */
  readonly queued: number;
}

export async function fillDeliveries(
  pool: pg.Pool,
  { deliveries, destinations, urls, queued }: BacklogSeed,
): Promise<void> {
  const artist = 'backlog';
  await seedDestinations(pool, { artist, urls, count: destinations });
  await fillQuickly(pool, ['changes', 'deliveries'], async (client) => {
    await client.query(
      `INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                            detected_at, confirmed_at, webhook_body)
       SELECT new_id('chg', now()), 'art_' || $1::text, 'confirmed', 'release_removed', 'critical', 'release', n::text,
              'Night Drive ' || n, 'The release "Night Drive" is no longer available.', now(), now(),
              json_build_object('event', 'change.confirmed', 'entity_id', 'backlog-' || n, 'artist', 'Nina Vale',
                                'summary', 'The release "Night Drive" is no longer available.')::text
         FROM generate_series(1, $2::int) AS n`,
      [artist, Math.ceil(deliveries / destinations)],
    );
    await client.query(
      `INSERT INTO deliveries (id, account_id, destination_id, change_id, next_attempt_at, relay_at, created_at)
       SELECT new_id('dlv', due_at), account_id, destination_id, change_id, due_at,
              CASE WHEN n > $2::int THEN due_at END, due_at
         FROM (SELECT row_number() OVER () AS n, d.account_id, d.id AS destination_id, c.id AS change_id,
                      now() - interval '1 minute' AS due_at
                 FROM changes c CROSS JOIN destinations d
                WHERE c.artist_id = 'art_' || $3::text AND d.id LIKE 'dst_' || $3 || '%' LIMIT $1) AS delivery`,
      [deliveries, queued, artist],
    );
  });
  await pool.query('VACUUM (ANALYZE)');
}
