import type { DestinationKind } from '@artist-watch/domain/channel/destination-kind';
import type { Trigger } from '@artist-watch/domain/delivery/delivery-state';
import { anyLength, columnsOf } from '@artist-watch/persistence/database/sql-text';
import { lockDestinations } from '@artist-watch/persistence/destination/lock';
import {
  IS_FIRST_ATTEMPT,
  IS_UNDELIVERABLE,
  TAKES_TESTS,
} from '@artist-watch/persistence/destination/skip-undeliverable';
import type pg from 'pg';
import { DUE_COLUMNS, type DueDelivery, IS_PENDING } from './release.js';

export interface Claim {
  readonly deliveryId: string;
  readonly accountId: string;
  readonly destinationId: string;
  readonly changeId: string | null;
  readonly trigger: Trigger;
  /** 1-based. */
  readonly attemptNumber: number;
  /** 1-based. */
  readonly attemptInRound: number;
  readonly destinationKind: DestinationKind;
  /** For a chat channel, the URL without its secret part. */
  readonly url: string;
  readonly sealedSecret: Uint8Array | null;
  readonly standardWebhooks: boolean;
  readonly sealedHeaders: Uint8Array | null;
  readonly body: string;
  /** Milliseconds since 1970 on the database's clock, which all processes share. */
  readonly claimedAtMs: number;
  /** Identifies the claim, because no two claims on the same delivery end at the same time. */
  readonly claimedUntil: Date;
  /** True if another worker claimed the delivery earlier but never settled it. */
  readonly isTakenOver: boolean;
  readonly ageMs: number;
  readonly traceparent: string | null;
}

export type ClaimRefusal =
  /** The delivery is already settled, is waiting to be released, or does not exist. */
  | { readonly kind: 'nothing_due' }
  /**
   * The destination is deleted or off, or the plan does not include it. A destination that is off still receives tests.
   */
  | { readonly kind: 'undeliverable'; readonly destinationId: string }
  /** After `waitMs`, the delivery becomes due or the other worker's claim expires. */
  | { readonly kind: 'later' | 'claimed_elsewhere'; readonly waitMs: number; readonly due: DueDelivery };

/** Commits a claim without waiting for the disk. If the claim is lost, the delivery is sent again (docs/adr/0002). */
const ASYNC_COMMIT = `(SELECT set_config('synchronous_commit', 'off', true)) AS async_commit`;

const IS_DESTINATION_TEST = `(d.trigger = 'test' AND d.change_id IS NULL)`;

const IS_DELIVERABLE = `(NOT ${IS_UNDELIVERABLE} OR (${IS_DESTINATION_TEST} AND ${TAKES_TESTS}))`;

const IS_FREE = `(${IS_PENDING} AND d.relay_at IS NULL AND d.next_attempt_at <= clock_timestamp()
  AND (d.claimed_until IS NULL OR d.claimed_until <= clock_timestamp()))`;

const CLAIM = `
WITH requested AS MATERIALIZED (
  SELECT d.id, d.claimed_until, d.destination_id, ${IS_DESTINATION_TEST} AS is_test, t.kind, t.url, t.sealed_secret,
         t.standard_webhooks, t.sealed_headers, t.consecutive_failures > 0 AS is_failing
    FROM ${ASYNC_COMMIT} CROSS JOIN unnest(${anyLength('$1::text[]')}) AS requested(id)
   CROSS JOIN LATERAL (SELECT d.id, d.destination_id, d.trigger, d.change_id, d.claimed_until
                         FROM deliveries d WHERE d.id = requested.id OFFSET 0) AS d
   CROSS JOIN LATERAL (SELECT t.kind, t.url, t.sealed_secret, t.standard_webhooks, t.sealed_headers,
                              t.consecutive_failures
                         FROM destinations t
                        WHERE t.id = d.destination_id AND ${IS_DELIVERABLE}
                       OFFSET 0) AS t
), failing AS MATERIALIZED (
  ${lockDestinations(
    'SELECT destination_id AS id FROM requested WHERE is_failing',
    `t.id, ${IS_UNDELIVERABLE} AS is_undeliverable, ${TAKES_TESTS} AS takes_tests`,
    'FOR SHARE',
  )}
), claimed AS (
  UPDATE deliveries d SET claimed_until = clock_timestamp() + $2 * interval '1 millisecond'
    FROM requested t LEFT JOIN failing f ON f.id = t.destination_id
   WHERE d.id = t.id AND ${IS_FREE}
     AND (NOT t.is_failing OR NOT f.is_undeliverable OR (t.is_test AND f.takes_tests))
  RETURNING d.*, t.claimed_until IS NOT NULL AS is_taken_over, t.kind, t.url, t.sealed_secret,
            t.standard_webhooks, t.sealed_headers)
SELECT c.id AS "deliveryId", c.account_id AS "accountId", c.destination_id AS "destinationId",
       c.change_id AS "changeId", c.trigger, c.attempt_count + 1 AS "attemptNumber",
       c.attempt_count + 1 - c.round_start AS "attemptInRound",
       c.kind AS "destinationKind", c.url, c.sealed_secret AS "sealedSecret", c.standard_webhooks AS "standardWebhooks",
       c.sealed_headers AS "sealedHeaders",
       coalesce(c.test_body, ch.webhook_body) AS body,
       (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "claimedAtMs",
       c.claimed_until AS "claimedUntil", c.is_taken_over AS "isTakenOver",
       (extract(epoch FROM clock_timestamp() - c.next_attempt_at) * 1000)::float8 AS "ageMs", ch.traceparent
  FROM claimed c LEFT JOIN changes ch ON ch.id = c.change_id`;

/**
 * Claims deliveries, so that no other worker can send them before the claims expire, even if Redis is wiped. Locks
 * failing destinations, so that no delivery is claimed after a settlement switches one off. Destinations without
 * failures are not locked, so a claim can overlap with one settlement that counts all failures up to the switch-off.
 * @param leaseMs must be longer than any attempt.
 * @returns claims by delivery id. `explainRefusals` explains missing ones.
 */
export async function claimDeliveries(
  pool: pg.Pool,
  deliveryIds: readonly string[],
  leaseMs: number,
): Promise<Map<string, Claim>> {
  const { rows } = await pool.query<Claim>({ name: 'claim', text: CLAIM, values: [deliveryIds, leaseMs] });
  const claims = new Map<string, Claim>();
  for (const claim of rows) claims.set(claim.deliveryId, claim);
  return claims;
}

/** Explains why deliveries were not claimed, in order. If one has become free since, returns `later` with 1 ms. */
export async function explainRefusals(pool: pg.Pool, deliveryIds: readonly string[]): Promise<ClaimRefusal[]> {
  const { rows } = await pool.query<
    DueDelivery & { destinationId: string; isDue: boolean; isDeliverable: boolean; claimedMs: number; earlyMs: number }
  >({
    name: 'claim-refusals',
    text: `SELECT ${DUE_COLUMNS}, d.destination_id AS "destinationId",
                  ${IS_PENDING} AND d.relay_at IS NULL AS "isDue", ${IS_DELIVERABLE} AS "isDeliverable",
                  coalesce(extract(epoch FROM d.claimed_until - clock_timestamp()) * 1000, 0)::float8 AS "claimedMs",
                  (extract(epoch FROM d.next_attempt_at - clock_timestamp()) * 1000)::float8 AS "earlyMs"
             FROM deliveries d JOIN destinations t ON t.id = d.destination_id
            WHERE d.id = ANY($1)`,
    values: [deliveryIds],
  });
  const found = new Map(rows.map((row) => [row.deliveryId, row]));
  return deliveryIds.map((id) => {
    const row = found.get(id);
    if (!row?.isDue) return { kind: 'nothing_due' };
    const { destinationId, isDue, isDeliverable, claimedMs, earlyMs, ...due } = row;
    if (!isDeliverable) return { kind: 'undeliverable', destinationId };
    if (claimedMs > 0) return { kind: 'claimed_elsewhere', waitMs: claimedMs, due };
    return { kind: 'later', waitMs: Math.max(1, earlyMs), due };
  });
}

export interface GivenBackClaim {
  readonly deliveryId: string;
  readonly claimedUntil: Date;
  /** Milliseconds until the delivery is due again. */
  readonly delayMs: number;
  /** True if a chat platform requested the wait. */
  readonly pausesDestination: boolean;
}

/** Gives back claims without counting an attempt. Ignores claims that another worker has taken over. */
export async function giveBackClaims(pool: pg.Pool, claims: readonly GivenBackClaim[]): Promise<void> {
  await pool.query({
    name: 'give-back',
    text: `WITH given_back AS (
             UPDATE deliveries d
                SET claimed_until = NULL, next_attempt_at = clock_timestamp() + g.delay_ms * interval '1 millisecond',
                    relay_at = CASE WHEN g.pauses AND ${IS_FIRST_ATTEMPT} THEN d.created_at END
               FROM unnest($1::text[], $2::timestamptz[], $3::float8[], $4::bool[])
                      AS g(id, claimed_until, delay_ms, pauses)
              WHERE d.id = g.id AND ${IS_PENDING} AND d.claimed_until = g.claimed_until
             RETURNING d.destination_id, d.next_attempt_at, d.relay_at, g.pauses
           ), paused AS (
             SELECT locked.id, p.until, p.waiting
               FROM (SELECT destination_id, max(next_attempt_at) AS until, count(relay_at)::int AS waiting
                       FROM given_back WHERE pauses GROUP BY destination_id ORDER BY destination_id OFFSET 0) p
              CROSS JOIN LATERAL (SELECT t.id FROM destinations t WHERE t.id = p.destination_id
                                     FOR NO KEY UPDATE) locked)
           UPDATE destinations t
              SET pace_ms = coalesce(t.pace_ms, 0), paced_until = greatest(t.paced_until, p.until),
                  in_flight = greatest(0, t.in_flight - p.waiting)
             FROM paused p WHERE t.id = p.id`,
    values: columnsOf(claims, 'deliveryId', 'claimedUntil', 'delayMs', 'pausesDestination'),
  });
}
