import type { DestinationKind } from '@artist-watch/domain/channel/destination-kind';
import type { Trigger } from '@artist-watch/domain/delivery/delivery-state';
import { IS_UNDELIVERABLE, TAKES_TESTS } from '@artist-watch/persistence/destination/skip-undeliverable';
import type pg from 'pg';
import { IS_FIRST_ATTEMPT, IS_PENDING, WITHOUT_WAITING_FOR_THE_DISK } from './conditions.js';

/** All that a worker needs to make one attempt. */
export interface ClaimedDelivery {
  readonly kind: 'claimed';
  readonly deliveryId: string;
  readonly accountId: string;
  readonly destinationId: string;
  readonly changeId: string | null;
  readonly trigger: Trigger;
  /** 1-based number of the attempt to be made. */
  readonly attemptNumber: number;
  /** Of those, how many belong to the present round, this one included. */
  readonly attemptInRound: number;
  /** It is the one first attempt that the pacing of its destination lets go now. */
  readonly hasTurn: boolean;
  readonly destinationKind: DestinationKind;
  /** Of a channel it is not where messages are posted: that is its sealed secret. */
  readonly url: string;
  readonly sealedSecret: Uint8Array | null;
  readonly body: string;
  /** The record's clock at the claim, in milliseconds: the one clock that all processes share. */
  readonly claimedAtMs: number;
  /** When the claim runs out; no two claims of a delivery share it, so it tells them apart. */
  readonly claimedUntil: Date;
  /**
   * Since the attempt was due, in milliseconds: of a first one since the change was confirmed, the delivery asked for, or
   * the pacing of its destination ended.
   */
  readonly ageMs: number;
  /** Where its change stands in a trace; null where nobody traced it, and for tests. */
  readonly traceparent: string | null;
}

/** Why a delivery cannot be sent now. */
export type ClaimRefusal =
  /** Settled, deleted, or never there. */
  | { readonly kind: 'settled' }
  /** Its destination is off (and it is no test), deleted, or without a plan. */
  | { readonly kind: 'undeliverable'; readonly destinationId: string }
  /** Its time has not come. */
  | { readonly kind: 'early'; readonly waitMs: number }
  /** It would be a first attempt, its destination is paced, and another one has the turn, or none has until later. */
  | { readonly kind: 'paced' }
  /** Another worker has it, and has until then to settle it. */
  | { readonly kind: 'taken'; readonly waitMs: number };

/** Of a delivery `d` and its destination `t`. */
const IS_DELIVERABLE = `(NOT ${IS_UNDELIVERABLE} OR (d.trigger = 'test' AND ${TAKES_TESTS}))`;

/** Whether a delivery `d` could be claimed now, as far as it alone goes. */
const IS_FREE = `(${IS_PENDING} AND d.next_attempt_at <= clock_timestamp()
  AND (d.claimed_until IS NULL OR d.claimed_until <= clock_timestamp()))`;

/**
 * Takes deliveries for sending. While a claim lasts no other worker gets the delivery and no sweep puts it back into the
 * queue, so it is never sent twice at once, even when Redis is wiped in the middle; when it has run out, the worker is
 * taken for dead. Only a PostgreSQL that dies forgets the claims of its last moment (docs/adr/0020).
 *
 * First attempts to a paced destination get one claim at a time, over all workers: it moves `paced_until` to its own end,
 * and its settlement or release moves it back. A dead worker's turn runs out with its claim.
 *
 * @param leaseMs longer than an attempt can take.
 * @returns for each id, in their order, what was claimed; nothing where it was refused, and the second time that an id is
 *   asked for. `explainRefusals` says why.
 */
export async function claimDeliveries(
  pool: pg.Pool,
  deliveryIds: readonly string[],
  leaseMs: number,
): Promise<readonly (ClaimedDelivery | undefined)[]> {
  const { rows } = await pool.query<ClaimedDelivery>({
    name: 'claim',
    text: `WITH deliverable AS MATERIALIZED (
             SELECT asked.id, t.id AS destination_id, t.kind, t.url, t.sealed_secret,
                    t.pace_ms IS NOT NULL AND d.is_first AS needs_turn, d.is_free
               FROM ${WITHOUT_WAITING_FOR_THE_DISK} CROSS JOIN unnest($1::text[]) AS asked(id)
              CROSS JOIN LATERAL (SELECT d.destination_id, d.trigger, ${IS_FIRST_ATTEMPT} AS is_first, ${IS_FREE} AS is_free
                                    FROM deliveries d WHERE d.id = asked.id OFFSET 0) AS d
              CROSS JOIN LATERAL (SELECT t.id, t.kind, t.url, t.sealed_secret, t.pace_ms FROM destinations t
                                   WHERE t.id = d.destination_id AND ${IS_DELIVERABLE}
                                  OFFSET 0) AS t
           ), free AS (
             -- Waits for nobody: a destination that is being settled just then gives its turn a moment later.
             SELECT t.id FROM destinations t
              WHERE t.id IN (SELECT destination_id FROM deliverable WHERE needs_turn)
                AND t.pace_ms IS NOT NULL AND t.paced_until <= clock_timestamp()
                FOR NO KEY UPDATE SKIP LOCKED
           ), turns AS (
             UPDATE destinations t
                SET paced_until = date_trunc('milliseconds', clock_timestamp() + $2 * interval '1 millisecond')
               FROM (SELECT destination_id, min(deliverable.id) AS id FROM deliverable JOIN free ON free.id = destination_id
                      WHERE needs_turn AND is_free GROUP BY destination_id) AS first
              WHERE t.id = first.destination_id
             RETURNING first.id, t.paced_until
           ), claimed AS (
             UPDATE deliveries d
                SET claimed_until = coalesce(turn.paced_until, clock_timestamp() + $2 * interval '1 millisecond'),
                    relay_at = NULL
               FROM deliverable t LEFT JOIN turns turn ON turn.id = t.id
              WHERE d.id = t.id AND ${IS_FREE} AND (turn.id IS NOT NULL OR NOT t.needs_turn)
             RETURNING d.id, d.account_id, d.destination_id, d.change_id, d.test_body, d.trigger, d.attempt_count,
                       d.round_start, d.next_attempt_at, d.claimed_until, t.kind, t.url, t.sealed_secret, turn.id IS NOT NULL AS has_turn)
           SELECT 'claimed' AS kind, c.id AS "deliveryId", c.account_id AS "accountId", c.destination_id AS "destinationId",
                  c.change_id AS "changeId", c.trigger, c.attempt_count + 1 AS "attemptNumber",
                  c.attempt_count + 1 - c.round_start AS "attemptInRound", c.has_turn AS "hasTurn",
                  c.kind AS "destinationKind", c.url, c.sealed_secret AS "sealedSecret",
                  coalesce(c.test_body, ch.webhook_body) AS body,
                  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "claimedAtMs",
                  c.claimed_until AS "claimedUntil",
                  (extract(epoch FROM clock_timestamp() - c.next_attempt_at) * 1000)::float8 AS "ageMs", ch.traceparent
             FROM claimed c LEFT JOIN changes ch ON ch.id = c.change_id`,
    values: [deliveryIds, leaseMs],
  });
  const claimed = new Map(rows.map((claim) => [claim.deliveryId, claim]));
  return deliveryIds.map((id) => {
    const claim = claimed.get(id);
    // Given once: what asks a second time in the same batch waits like anybody else.
    claimed.delete(id);
    return claim;
  });
}

/**
 * Why deliveries cannot be claimed now. Asked apart from the claims: those that were given are neither held up by this,
 * nor lost when it fails.
 *
 * @returns one answer for each id, in their order. For one that could be claimed by now: to come back at once.
 */
export async function explainRefusals(pool: pg.Pool, deliveryIds: readonly string[]): Promise<readonly ClaimRefusal[]> {
  const { rows } = await pool.query<{
    id: string;
    destination_id: string;
    state: string;
    deliverable: boolean;
    paced: boolean;
    early_ms: number;
    taken_ms: number;
  }>({
    name: 'claim-refusals',
    text: `SELECT d.id, d.destination_id, d.state, ${IS_DELIVERABLE} AS deliverable,
                  t.pace_ms IS NOT NULL AND ${IS_FIRST_ATTEMPT} AS paced,
                  (extract(epoch FROM d.next_attempt_at - clock_timestamp()) * 1000)::float8 AS early_ms,
                  coalesce(extract(epoch FROM d.claimed_until - clock_timestamp()) * 1000, 0)::float8 AS taken_ms
             FROM deliveries d JOIN destinations t ON t.id = d.destination_id
            WHERE d.id = ANY($1)`,
    values: [deliveryIds],
  });
  const refusals = new Map(
    rows.map((row): [string, ClaimRefusal] => {
      if (row.state !== 'pending') return [row.id, { kind: 'settled' }];
      if (!row.deliverable) return [row.id, { kind: 'undeliverable', destinationId: row.destination_id }];
      if (row.taken_ms > 0) return [row.id, { kind: 'taken', waitMs: row.taken_ms }];
      if (row.early_ms <= 0 && row.paced) return [row.id, { kind: 'paced' }];
      return [row.id, { kind: 'early', waitMs: Math.max(1, row.early_ms) }];
    }),
  );
  return deliveryIds.map((id) => refusals.get(id) ?? { kind: 'settled' });
}

/** A claim that is given back. */
export interface ReleasedClaim {
  readonly deliveryId: string;
  readonly claimedUntil: Date;
  /** How long it may not be claimed again. */
  readonly delayMs: number;
}

/**
 * Gives claimed deliveries back without an attempt: the trouble was ours. They wait in the record, and their destinations
 * get the turns back that the claims had. A claim that has run out and is somebody else's by now is left alone, or a
 * worker that was frozen would take the delivery out of the hands of its successor.
 */
export async function releaseDeliveries(pool: pg.Pool, released: readonly ReleasedClaim[]): Promise<void> {
  await pool.query({
    name: 'release',
    text: `WITH given_back AS (
             SELECT r.id, r.claimed_until,
                    -- Cut, not rounded, to the column's milliseconds: a wait of 0 is over at once.
                    date_trunc('milliseconds', clock_timestamp() + r.delay_ms * interval '1 millisecond') AS until
               FROM unnest($1::text[], $2::timestamptz[], $3::float8[]) AS r(id, claimed_until, delay_ms)
           ), released AS (
             UPDATE deliveries d
                SET claimed_until = NULL, relay_at = greatest(d.next_attempt_at, r.until)
               FROM given_back r
              WHERE d.id = r.id AND ${IS_PENDING} AND d.claimed_until = r.claimed_until
             RETURNING d.destination_id, r.claimed_until, r.until
           ), turns AS (
             SELECT t.id, r.until FROM destinations t JOIN released r ON r.destination_id = t.id
              WHERE t.paced_until = r.claimed_until
              ORDER BY t.id
                FOR NO KEY UPDATE OF t)
           UPDATE destinations t SET paced_until = turns.until FROM turns WHERE t.id = turns.id`,
    values: [
      released.map((claim) => claim.deliveryId),
      released.map((claim) => claim.claimedUntil),
      released.map((claim) => claim.delayMs),
    ],
  });
}
