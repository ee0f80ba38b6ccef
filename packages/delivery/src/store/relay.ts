import { QUEUE_BUCKETS } from '@artist-watch/domain/delivery/queue-shard';
import type pg from 'pg';
import type { QueuedDelivery } from '../queue/delivery-queue.js';
import { IS_FIRST_ATTEMPT, IS_PENDING, WITHOUT_WAITING_FOR_THE_DISK } from './conditions.js';

/** Which deliveries come first: the oldest of all, or the first of each bucket. */
export type RelayOrder = 'oldest' | 'heads';

/** So many deliveries of a destination in one page do not yield to others. */
const FIRST_TURNS = 4;

export interface RelayPage {
  readonly limit: number;
  readonly lookAheadMs: number;
  readonly buckets: readonly number[];
  /** The oldest unless given. */
  readonly order?: RelayOrder;
  /** Not planned anew: several were found a moment ago, so the plan is not of an empty table (docs/adr/0019). */
  readonly keepsPlan?: boolean;
}

/** What became of a page. */
export interface Relayed {
  readonly queued: number;
  /** First attempts to destinations that are paced, and whose pause is not over. */
  readonly deferred: number;
  /** How many destinations those queued are for. */
  readonly destinations: number;
}

interface MarkedRow {
  id: string;
  destination_id: string;
  relay_at: Date;
  delay_ms: number;
  is_deferred: boolean;
  is_repeated: boolean;
}

/**
 * Hands deliveries that wait in the record to the queue: marks up to `limit` of them as queued, and lets `add` queue them,
 * the first of each destination before the second of any. Those that the pacing of their destination holds back are
 * deferred instead (`releaseDeferred` brings them back).
 *
 * Several replicas may run it at once; none takes a row that another holds. They are marked first and by one statement,
 * so that no row is locked while the queue is spoken to: the workers' claims would wait for a Redis that is slow, or for
 * a process that was frozen in between. The sweeper finds what a crash leaves marked and not queued.
 *
 * @param page `lookAheadMs` takes those too that fall due within this time, so that they start on the dot; `buckets`
 *   only those of destinations in these, of domain/delivery/queue-shard; `order` `heads` shares the page out among the
 *   buckets, however many wait in one of them and for how long.
 * @returns of `heads` fewer than `limit` does not mean that no more are due.
 * @throws what `add` throws; they wait in the record again then.
 */
export async function relayDeliveries(
  pool: pg.Pool,
  page: RelayPage,
  add: (deliveries: readonly QueuedDelivery[]) => Promise<void>,
): Promise<Relayed> {
  const { rows: marked } = await pool.query<MarkedRow>(
    page.order !== 'heads' && page.buckets.length === QUEUE_BUCKETS ? oldestOfAll(page) : ofBuckets(page),
  );
  const rows = marked.filter((row) => !row.is_deferred);
  // The first of each destination comes before the second of any.
  const turns = new Map<string, number>();
  const deliveries = rows.map(
    ({ id: deliveryId, destination_id: destinationId, delay_ms: delayMs, is_repeated: isRepeated }) => {
      const turn = (turns.get(destinationId) ?? 0) + 1;
      turns.set(destinationId, turn);
      return { deliveryId, destinationId, delayMs, yields: turn > FIRST_TURNS, isRepeated };
    },
  );
  const relayed = { queued: rows.length, deferred: marked.length - rows.length, destinations: turns.size };
  if (rows.length === 0) return relayed;
  try {
    await add(deliveries);
  } catch (error) {
    await takeBack(pool, rows);
    throw error;
  }
  return relayed;
}

/**
 * Lets deliveries wait in the record again that could not be queued. Those that were queued all the same and are in a
 * worker's hands, or settled, are left alone.
 *
 * @param rows `relay_at` null: at once.
 */
export async function takeBack(
  pool: pg.Pool,
  rows: readonly { readonly id: string; readonly relay_at: Date | null }[],
): Promise<void> {
  await pool.query({
    name: 'relay-take-back',
    text: `UPDATE deliveries d SET relay_at = coalesce(m.relay_at, date_trunc('milliseconds', clock_timestamp()))
             FROM unnest($1::text[], $2::timestamptz[]) AS m(id, relay_at)
            WHERE d.id = m.id AND ${IS_PENDING} AND d.relay_at IS NULL
              AND (d.claimed_until IS NULL OR d.claimed_until <= clock_timestamp())`,
    values: [rows.map(({ id }) => id), rows.map((row) => row.relay_at)],
  });
}

/** Planned each time unless `keepsPlan`: the relay reads a table that may be empty now, and hold a backlog a moment later. */
function oldestOfAll({ limit, lookAheadMs, keepsPlan }: RelayPage): pg.QueryConfig {
  return {
    ...(keepsPlan && { name: 'relay-oldest' }),
    text: markThose(`
             SELECT id, relay_at FROM deliveries
              WHERE relay_at <= statement_timestamp() + $2 * interval '1 millisecond'
              ORDER BY relay_at
              LIMIT $1
                FOR UPDATE SKIP LOCKED`),
    values: [limit, lookAheadMs],
  };
}

/**
 * Reads the heads of buckets, so that it costs the same however much waits for others. Their order is
 * random: no destination with a long backlog keeps those of other buckets waiting for more than a few pages.
 */
function ofBuckets({ limit, lookAheadMs, buckets, order, keepsPlan }: RelayPage): pg.QueryConfig {
  return {
    ...(keepsPlan && { name: 'relay-of-buckets' }),
    text: markThose(`
             SELECT heads.id, heads.relay_at
               FROM (SELECT bucket FROM unnest($3::int[]) AS given(bucket) ORDER BY random()) AS shuffled
              CROSS JOIN LATERAL (
                    SELECT id, relay_at
                      FROM deliveries
                     WHERE (get_byte(sha256(destination_id::bytea), 0) & 63) = shuffled.bucket
                       AND relay_at <= statement_timestamp() + $2 * interval '1 millisecond'
                     ORDER BY relay_at
                     LIMIT $4
                       FOR UPDATE SKIP LOCKED) AS heads
              LIMIT $1`),
    values: [limit, lookAheadMs, buckets, order === 'heads' ? Math.ceil(limit / buckets.length) : limit],
  };
}

/**
 * @param due a query of id and relay_at that locks its rows. It asks for statement_timestamp(), which an index can be
 *   searched by; by clock_timestamp() all that waits for later would be read each time.
 */
function markThose(due: string): string {
  return `WITH due AS (${due}
           ), paced AS MATERIALIZED (
             SELECT id FROM destinations WHERE pace_ms IS NOT NULL AND paced_until > statement_timestamp()
           ), marked AS (
             UPDATE deliveries d
                SET relay_at = CASE WHEN ${IS_FIRST_ATTEMPT} AND d.destination_id IN (SELECT id FROM paced)
                                    THEN 'infinity'::timestamptz END
               FROM ${WITHOUT_WAITING_FOR_THE_DISK} CROSS JOIN due
              WHERE d.id = due.id
             RETURNING d.id, d.destination_id, due.relay_at, d.relay_at IS NOT NULL AS is_deferred,
                       d.round_start > 0 AS is_repeated)
           SELECT id, destination_id, relay_at, is_deferred, is_repeated,
                  greatest(0, extract(epoch FROM relay_at - clock_timestamp()) * 1000)::float8 AS delay_ms
             FROM marked
            ORDER BY row_number() OVER (PARTITION BY destination_id ORDER BY relay_at, id), relay_at, id`;
}
