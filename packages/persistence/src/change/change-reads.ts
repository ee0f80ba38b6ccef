import type {
  AccountChange,
  ChangeHandling,
  ConfirmedChange,
  EvidencedChange,
} from '@artist-watch/contracts/api/change';
import type { AccountId, ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import {
  CONFIRMED_COLUMNS,
  type ConfirmedRow,
  confirmedChange,
  EVIDENCED_COLUMNS,
  type EvidencedRow,
  evidencedChange,
  HANDLING_COLUMNS,
  joinHandling,
} from './confirmed-changes.js';
import {
  type FeedPageRow,
  type FeedPosition,
  type FeedRange,
  feedPageOf,
  feedPageStatement,
  feedPositionOf,
  MAX_COMPARED_ROWS,
  type RecordedPosition,
  type RecordedRange,
  recordedPageStatement,
  recordedPositionOf,
} from './feed-range.js';

export interface AvailabilityChange {
  readonly id: ChangeId;
  readonly isRemoval: boolean;
  /** When the release was first found missing, or first found again. */
  readonly detectedAt: Date;
  /** True if we have the release's cover. */
  readonly hasCover: boolean;
}

const SHOWN = 20;

/** Newest first. */
export async function readAvailability(
  pool: pg.Pool,
  reference: {
    readonly accountId: AccountId;
    readonly artistId: string;
    readonly entityId: string;
    readonly oldest: Date;
  },
): Promise<AvailabilityChange[]> {
  const { rows } = await pool.query<AvailabilityChange>({
    name: 'read-availability',
    text: `SELECT c.id, c.type = 'release_removed' AS "isRemoval", c.detected_at AS "detectedAt",
                  EXISTS (SELECT FROM pictures p
                           WHERE p.platform = a.platform AND p.entity_type = 'release' AND p.media_type IS NOT NULL
                             AND p.content_id = coalesce(c.difference -> 'before' ->> 'artworkId',
                                                         c.difference -> 'after' ->> 'artworkId')) AS "hasCover"
             FROM changes c JOIN artists a ON a.id = c.artist_id
            WHERE c.entity_id = $2 AND c.artist_id = $3 AND c.confirmed_at >= $4
              AND c.type IN ('release_removed', 'release_restored')
              AND EXISTS (SELECT FROM feed_items f
                           WHERE f.account_id = $1 AND f.confirmed_at = c.confirmed_at AND f.change_id = c.id)
            ORDER BY c.detected_at DESC LIMIT ${SHOWN}`,
    values: [reference.accountId, reference.entityId, reference.artistId, reference.oldest],
  });
  return rows;
}

type FieldsOfEveryState = 'type' | 'severity' | 'entityType' | 'entityId' | 'entityName' | 'summary' | 'detectedAt';

export interface ChangeRecord extends Pick<ConfirmedChange, FieldsOfEveryState> {
  readonly id: ChangeId;
  readonly artistId: ArtistId;
  readonly state: 'suspected' | 'held' | 'confirmed' | 'dismissed';
  readonly confirmedAt: Date | null;
  readonly dismissedAt: Date | null;
  readonly dismissedReason: string | null;
}

export interface ShownChangeRecord extends ChangeRecord {
  readonly difference: unknown;
  readonly reportedValues: ConfirmedRow['reportedValues'];
  readonly observations: unknown;
  readonly notes: unknown;
}

export function changeReads({ pool }: Database) {
  return {
    /** Newest first. */
    async list(request: {
      readonly accountId: AccountId;
      readonly after?: FeedPosition;
      /** Inclusive, on `confirmedAt`. */
      readonly since?: Date | undefined;
      readonly artistId?: ArtistId | undefined;
      readonly type?: string | undefined;
      readonly limit: number;
    }): Promise<ChangeRecord[]> {
      const { accountId, after, since, artistId, type, limit } = request;
      const { rows } = await pool.query<ChangeRecord>(
        `SELECT ${COLUMNS}
           FROM feed_items f JOIN changes c ON c.id = f.change_id
          WHERE f.account_id = $1
            AND ($2::timestamptz IS NULL OR (f.confirmed_at, f.change_id) < ($2, $3))
            AND ($5::timestamptz IS NULL OR f.confirmed_at >= $5)
            AND ($6::text IS NULL OR c.artist_id = $6) AND ($7::text IS NULL OR c.type = $7)
          ORDER BY f.confirmed_at DESC, f.change_id DESC
          LIMIT $4`,
        [
          ...[accountId, after?.confirmedAt ?? null, after?.changeId ?? null, limit],
          ...[since ?? null, artistId ?? null, type ?? null],
        ],
      );
      return rows;
    },

    /**
     * Returns a change in any state, with all its observations.
     * @throws NotFound
     */
    async show(id: ChangeId): Promise<ShownChangeRecord> {
      const { rows } = await pool.query<ShownChangeRecord>(
        `SELECT ${COLUMNS}, c.difference, c.reported_values AS "reportedValues", c.observations, c.notes FROM changes c WHERE c.id = $1`,
        [id],
      );
      if (!rows[0]) throw new NotFound('change');
      return rows[0];
    },
  };
}

const COLUMNS = `c.id, c.artist_id AS "artistId", c.state, c.type, c.severity, c.entity_type AS "entityType",
  c.entity_id AS "entityId", c.entity_name AS "entityName", c.summary, c.detected_at AS "detectedAt",
  c.confirmed_at AS "confirmedAt", c.dismissed_at AS "dismissedAt", c.dismissed_reason AS "dismissedReason"`;

/** `id` is null if the change was pruned during the read. */
type PageRow<At> = { readonly [Column in keyof FeedPageRow<At> as `feed_${Column}`]: FeedPageRow<At>[Column] } & (
  | (ConfirmedRow & ChangeHandling)
  | { readonly id: null }
);

interface ChangePage<Position> {
  readonly changes: readonly (AccountChange & { readonly id: ChangeId })[];
  readonly next: Position | undefined;
}

type FeedChanges = ChangePage<FeedPosition>;

function isEmpty(filter: FeedRange['filter']): boolean {
  return Object.values(filter).every((part) => part === undefined);
}

/**
 * Like `readFeedChanges`, but serializes filtered reads per account.
 * @throws GateFull
 */
export function readFeedChangesInTurn(
  { pool, perAccount }: Pick<Database, 'pool' | 'perAccount'>,
  range: FeedRange,
  limit: number,
): Promise<FeedChanges> {
  const read = () => readFeedChanges(pool, range, limit);
  return isEmpty(range.filter) ? read() : perAccount.run(range.accountId, read);
}

export async function readFeedChanges(pool: pg.Pool, range: FeedRange, limit: number): Promise<FeedChanges> {
  const { artistId, ...others } = range.filter;
  const { changes, next } = await readPage<Date>(pool, limit, {
    ...feedPageStatement(range, limit),
    // The most frequent statements are always the same, so they are prepared under a name.
    name: isEmpty(others) ? `read-feed-${artistId === undefined ? '' : 'of-artist-'}${limit}` : undefined,
    order: 'f.at DESC, f.id DESC',
  });
  return { changes, next: next && feedPositionOf(next) };
}

/** Returns a page of changes, ordered by when they became readable. */
export async function readRecordedChanges(
  pool: pg.Pool,
  range: RecordedRange,
  limit: number,
): Promise<ChangePage<RecordedPosition>> {
  const { changes, next } = await readPage<string>(pool, limit, {
    ...recordedPageStatement(range, limit),
    order: 'f.at, f.id',
  });
  return { changes, next: next && recordedPositionOf(next) };
}

async function readPage<At>(
  pool: pg.Pool,
  limit: number,
  page: {
    readonly text: string;
    readonly values: readonly unknown[];
    readonly name?: string | undefined;
    readonly order: string;
  },
) {
  const { rows } = await pool.query<PageRow<At>>({
    ...(page.name !== undefined && { name: page.name }),
    text: `SELECT f.id AS feed_id, f.at AS feed_at, f.is_cut AS feed_is_cut, c.*
             FROM (${page.text}) f
             LEFT JOIN LATERAL (SELECT ${CONFIRMED_COLUMNS}, ${HANDLING_COLUMNS}
                                  FROM (SELECT * FROM changes WHERE id = f.id OFFSET 0) c
                                  JOIN artists a ON a.id = c.artist_id
                                  ${joinHandling('$1')}) c ON NOT f.is_cut
            ORDER BY ${page.order}`,
    values: [...page.values],
  });
  const read = rows.map(({ feed_id: id, feed_at: at, feed_is_cut: is_cut, ...change }) => ({ id, at, is_cut, change }));
  const { found, next } = feedPageOf(read, limit);
  const changes = found.flatMap(({ change }) => {
    if (change.id === null) return [];
    const { status, note, assignee, ...fields } = change;
    return { ...confirmedChange(fields), status, note, assignee };
  });
  return { changes, next };
}

export async function readNewestChanges(
  pool: pg.Pool,
  request: Pick<FeedRange, 'accountId' | 'since'> & { readonly artistId?: ArtistId; readonly limit: number },
): Promise<FeedChanges['changes']> {
  const { accountId, since, artistId, limit } = request;
  return (await readFeedChanges(pool, { accountId, since, filter: { artistId } }, limit)).changes;
}

export interface ChangeSummary extends Pick<ConfirmedChange, 'severity' | 'summary' | 'artistName'> {
  readonly id: ChangeId;
}

/** @param ids changes that the account may see. The caller must have checked this. */
export async function changeSummaries(
  { pool }: Pick<Database, 'pool'>,
  ids: readonly ChangeId[],
): Promise<ReadonlyMap<ChangeId, ChangeSummary>> {
  if (ids.length === 0) return new Map();
  const { rows } = await pool.query<ChangeSummary>({
    name: 'read-change-summaries',
    text: `SELECT c.id, c.severity, c.summary, coalesce(c.artist_name, a.name) AS "artistName"
      FROM changes c JOIN artists a ON a.id = c.artist_id WHERE c.id = ANY($1)`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** If a release's label and UPC change together, someone else may have taken over the release. */
const TAKEOVER = `('label_changed', 'upc_changed')`;

/** Reads critical changes and suspected takeovers, newest first. Searches the newest 10,000 changes. */
export async function readAttention(
  pool: pg.Pool,
  { accountId, since, limit }: { readonly accountId: AccountId; readonly since: Date; readonly limit: number },
): Promise<EvidencedChange[]> {
  const { rows } = await pool.query<EvidencedRow>({
    name: 'read-attention',
    // Rows written by earlier versions have no severity.
    text: `
      SELECT ${EVIDENCED_COLUMNS}
        FROM (SELECT confirmed_at, change_id
                FROM (SELECT confirmed_at, change_id, severity FROM feed_items
                       WHERE account_id = $1 AND confirmed_at >= $2
                       ORDER BY confirmed_at DESC, change_id DESC LIMIT ${MAX_COMPARED_ROWS}) newest
               WHERE severity IS DISTINCT FROM 'info'
              OFFSET 0) f
       CROSS JOIN LATERAL (SELECT * FROM changes WHERE id = f.change_id OFFSET 0) c
        JOIN artists a ON a.id = c.artist_id
        ${joinHandling('$1')}
       WHERE coalesce(h.status, 'open') = 'open'
         AND (c.severity = 'critical'
              OR (c.type IN ${TAKEOVER}
                  AND EXISTS (SELECT FROM changes o
                               WHERE o.artist_id = c.artist_id AND o.confirmed_at = c.confirmed_at
                                 AND o.entity_id = c.entity_id AND o.type IN ${TAKEOVER} AND o.type <> c.type)))
       ORDER BY f.confirmed_at DESC, f.change_id DESC LIMIT $3`,
    values: [accountId, since, limit],
  });
  return rows.map(evidencedChange);
}
