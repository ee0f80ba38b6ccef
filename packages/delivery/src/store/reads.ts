import type { DeliveryState } from '@artist-watch/domain/delivery/delivery-state';
import type { AccountId, ChangeId, DeliveryId, DestinationId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '@artist-watch/persistence/database/database';
import { firstIdAt } from '@artist-watch/persistence/database/id-range';
import type { DestinationReference } from '@artist-watch/persistence/destination/record';
import {
  type AttemptRecord,
  type AttemptRow,
  DELIVERY_COLUMNS,
  type DeliveryRecord,
  type DeliveryReference,
  type DeliveryRow,
  toAttemptRecord,
  toDeliveryRecord,
} from './record.js';

export interface DeliveryFilter {
  readonly accountId: AccountId;
  readonly destinationId?: DestinationId;
  readonly state?: DeliveryState;
  readonly changeId?: ChangeId;
  /** Only what is older than this one: the last id of the page before. */
  readonly beforeId?: DeliveryId;
  readonly limit: number;
}

export interface DeliveryReads {
  /** Newest first. */
  list(filter: DeliveryFilter): Promise<DeliveryRecord[]>;
  /**
   * With its attempts, first one first.
   *
   * @throws NotFound
   */
  show(reference: DeliveryReference): Promise<DeliveryRecord & { readonly attempts: readonly AttemptRecord[] }>;
  /**
   * What `recover` would send now, also for a destination that is off. Sends nothing.
   *
   * @throws NotFound
   */
  previewRecovery(destination: DestinationReference, range: MissedRange): Promise<RecoveryPreview>;
}

/** Deliveries by when they were made. */
export interface MissedRange {
  /** Inclusive. */
  readonly since: Date;
  /** Exclusive; without an end unless given. */
  readonly until?: Date | undefined;
}

export interface RecoveryPreview {
  readonly count: number;
  /** By when they were made; null where there is none. */
  readonly first: DeliveryRecord | null;
  readonly last: DeliveryRecord | null;
}

export function deliveryReads({ pool }: Database): DeliveryReads {
  return {
    async list({ accountId, destinationId, state, changeId, beforeId, limit }) {
      const values: unknown[] = [accountId, limit];
      const conditions = ['account_id = $1'];
      const where = (condition: (parameter: string) => string, value: unknown) => {
        if (value === undefined) return;
        values.push(value);
        conditions.push(condition(`$${values.length}`));
      };
      where((parameter) => `destination_id = ${parameter}`, destinationId);
      where((parameter) => `state = ${parameter}::delivery_state`, state);
      where((parameter) => `change_id = ${parameter}`, changeId);
      where((parameter) => `id < ${parameter}`, beforeId);
      const { rows } = await pool.query<DeliveryRow>(
        `SELECT ${DELIVERY_COLUMNS} FROM deliveries
          WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT $2`,
        values,
      );
      return rows.map(toDeliveryRecord);
    },

    async show({ id, accountId }) {
      // One statement, so that an attempt is never shown beside a delivery that does not know of it.
      const { rows } = await pool.query<DeliveryRow & { readonly attempts: readonly AttemptRow[] }>(
        `SELECT ${DELIVERY_COLUMNS},
                coalesce((SELECT json_agg(json_build_object(
                                            'id', a.id, 'number', a.number, 'outcome', a.outcome, 'blame', a.blame,
                                            'status_code', a.status_code, 'error', a.error, 'reason', a.reason,
                                            'response_excerpt', a.response_excerpt,
                                            'started_at_ms', extract(epoch FROM a.started_at) * 1000,
                                            'ended_at_ms', extract(epoch FROM a.ended_at) * 1000) ORDER BY a.number)
                            FROM attempts a WHERE a.delivery_id = deliveries.id),
                         '[]') AS attempts
           FROM deliveries WHERE id = $1 AND ($2::text IS NULL OR account_id = $2)`,
        [id, accountId ?? null],
      );
      const [row] = rows;
      if (!row) throw new NotFound('delivery');
      return { ...toDeliveryRecord(row), attempts: row.attempts.map(toAttemptRecord) };
    },

    async previewRecovery({ id, accountId }, { since, until }) {
      const { rows } = await pool.query<{ count: number; first_id: DeliveryId | null; last_id: DeliveryId | null }>(
        `SELECT count(d.id)::int AS count, min(d.id) AS first_id, max(d.id) AS last_id
           FROM destinations t
           LEFT JOIN deliveries d ON d.destination_id = t.id AND d.id > $3 AND ${WAS_MISSED} AND ${isBefore('$4')}
          WHERE t.id = $1 AND t.deleted_at IS NULL AND ($2::text IS NULL OR t.account_id = $2)
          GROUP BY t.id`,
        [id, accountId ?? null, firstIdAt('dlv', since), idAtEnd(until)],
      );
      if (!rows[0]) throw new NotFound('destination');
      const { count, first_id: firstId, last_id: lastId } = rows[0];
      const ends = await pool.query<DeliveryRow>(`SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE id = ANY($1)`, [
        [firstId, lastId],
      ]);
      const end = (endId: DeliveryId | null) => {
        const row = ends.rows.find((delivery) => delivery.id === endId);
        return row ? toDeliveryRecord(row) : null;
      };
      return { count, first: end(firstId), last: end(lastId) };
    },
  };
}

/** Of a delivery `d`: a change that its destination did not get. Tests are no changes. */
export const WAS_MISSED = `d.state IN ('skipped', 'failed') AND d.change_id IS NOT NULL`;

/** Of a delivery `d`: whether it was made before the range's end, an id or null. */
export function isBefore(end: string): string {
  return `(${end}::text IS NULL OR d.id < ${end})`;
}

export function idAtEnd(until: Date | undefined): string | null {
  return until === undefined ? null : firstIdAt('dlv', until);
}
