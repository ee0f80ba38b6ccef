import type { ChangeHandling, ConfirmedChange, EvidencedChange } from '@artist-watch/contracts/api/change';
import { type ChangeValues, changeValues } from '@artist-watch/domain/change/change-value';
import { type CustomerObservation, customerEvidence } from '@artist-watch/domain/detection/customer-evidence';
import { UnreadableRecordError } from '@artist-watch/domain/detection/json-reader';
import { parseDifference, parseNotes, parseObservations } from '@artist-watch/domain/detection/suspicion';
import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type pg from 'pg';

/** SQL columns from change `c` and artist `a`. All accounts get the same values. */
export const CONFIRMED_COLUMNS = `c.id, c.type, c.severity, a.platform, c.artist_id AS "artistId",
  coalesce(c.artist_name, a.name) AS "artistName", c.entity_type AS "entityType", c.entity_id AS "entityId",
  c.entity_name AS "entityName", c.summary, c.detected_at AS "detectedAt", c.confirmed_at AS "confirmedAt",
  coalesce(c.recorded_at, c.confirmed_at) AS "recordedAt", c.difference, c.reported_values AS "reportedValues",
  c.is_test AS "isTest"`;

/** SQL relation like `feed_items` that also includes the account's test changes. */
export const FEED_WITH_TESTS = `(SELECT account_id, confirmed_at, change_id, position FROM feed_items
          UNION ALL SELECT account_id, confirmed_at, change_id, position FROM test_feed_items)`;

export const HANDLING_COLUMNS = `coalesce(h.status, 'open') AS status, h.note, assignee.email AS assignee`;

export const EVIDENCED_COLUMNS = `${CONFIRMED_COLUMNS}, c.observations, c.notes, ${HANDLING_COLUMNS},
  coalesce((SELECT 'the API key ' || coalesce('“' || k.name || '”', k.hint || '…') FROM api_keys k
             WHERE k.id = h.status_by AND k.account_id = h.account_id), h.status_by) AS "statusBy", h.status_at AS "statusAt"`;

/**
 * SQL that joins an account's handling of change `c`.
 * @param accountId SQL expression for the account's id
 */
export function joinHandling(accountId: string): string {
  return `LEFT JOIN change_handling h ON h.account_id = ${accountId} AND h.confirmed_at = c.confirmed_at AND h.change_id = c.id
          LEFT JOIN members assignee ON assignee.id = h.assignee_id`;
}

export interface ConfirmedRow extends Omit<ConfirmedChange, 'id' | 'before' | 'after' | 'releaseId' | 'releaseName'> {
  readonly id: ChangeId;
  readonly difference: unknown;
  /** Null for a detected change, and for a reported change without values. */
  readonly reportedValues: ChangeValues | null;
}

export interface EvidencedRow
  extends ConfirmedRow,
    Pick<EvidencedChange, keyof ChangeHandling | 'statusBy' | 'statusAt'> {
  readonly observations: unknown;
  readonly notes: unknown;
}

/** Returns changes in no particular order, without changes that were pruned. The caller must check who may see them. */
export async function readConfirmedChanges(
  pool: pg.Pool,
  ids: readonly ChangeId[],
): Promise<(ConfirmedChange & { readonly id: ChangeId })[]> {
  if (ids.length === 0) return [];
  const { rows } = await pool.query<ConfirmedRow>({
    name: 'read-confirmed-changes',
    text: `SELECT ${CONFIRMED_COLUMNS} FROM unnest($1::text[]) AS wanted (id)
            CROSS JOIN LATERAL (SELECT * FROM changes WHERE id = wanted.id OFFSET 0) c JOIN artists a ON a.id = c.artist_id`,
    values: [ids],
  });
  return rows.map(confirmedChange);
}

/**
 * @param oldest start of the account's history.
 * @throws NotFound if the change is older or not in the feed.
 */
export async function readChangeOfAccount(
  pool: pg.Pool,
  reference: { readonly accountId: AccountId; readonly id: ChangeId; readonly oldest: Date },
): Promise<EvidencedChange> {
  const { rows } = await pool.query<EvidencedRow>({
    name: 'read-change-of-account',
    text: `SELECT ${EVIDENCED_COLUMNS} FROM changes c JOIN artists a ON a.id = c.artist_id ${joinHandling('$2')}
            WHERE c.id = $1 AND c.confirmed_at >= $3
              AND EXISTS (SELECT FROM ${FEED_WITH_TESTS} f
                           WHERE f.account_id = $2 AND f.confirmed_at = c.confirmed_at AND f.change_id = c.id)`,
    values: [reference.id, reference.accountId, reference.oldest],
  });
  const [row] = rows;
  if (!row) throw new NotFound('change');
  return evidencedChange(row);
}

export function evidencedChange(row: EvidencedRow): EvidencedChange {
  return {
    ...confirmedChange(row),
    ...{ status: row.status, note: row.note, assignee: row.assignee },
    ...{ statusBy: row.statusBy, statusAt: row.statusAt },
    origin: row.difference === null ? 'reported' : 'observed',
    observations: readable(() => toEvidence(row)) ?? [],
  };
}

function toEvidence({ difference, observations, notes }: EvidencedRow): CustomerObservation[] {
  if (difference === null) return [];
  return customerEvidence({
    difference: parseDifference(difference),
    observations: parseObservations(observations),
    notes: parseNotes(notes),
  });
}

export function confirmedChange({
  difference: stored,
  reportedValues,
  ...fields
}: ConfirmedRow): ConfirmedChange & { readonly id: ChangeId } {
  const difference = stored === null ? null : readable(() => parseDifference(stored));
  const isTrack = fields.entityType === 'track';
  return {
    ...fields,
    releaseId: isTrack ? (difference?.releaseId ?? null) : null,
    releaseName: isTrack ? (difference?.releaseName ?? null) : null,
    facts: difference?.facts,
    ...(difference === null ? (reportedValues ?? { before: null, after: null }) : changeValues(difference)),
  };
}

/** Returns null if another version wrote the value in a form that this version can't read. */
function readable<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableRecordError) return null;
    throw error;
  }
}
