import { SEVERITIES, type Severity, severityRank } from '@artist-watch/domain/change/change-types';
import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import type pg from 'pg';

interface Place {
  readonly confirmedAt: Date;
  readonly changeId: ChangeId;
}

export interface AccountChangesRequest {
  readonly accountId: AccountId;
  /** Inclusive. */
  readonly since: Date;
  /** Exclusive. */
  readonly until: Date | undefined;
  /** Only what comes after this in the list. */
  readonly after: Place | undefined;
  readonly type: string | undefined;
  /** This severity or graver. */
  readonly minSeverity: Severity | undefined;
  readonly artistId: string | undefined;
  /** Each of them stands in the name of the entity or of the artist, or in the summary, in any letter case. */
  readonly words: readonly string[];
  readonly limit: number;
}

/** The filter is compared row by row, for so many rows of a page at most: a page may be short while the list goes on. */
const MAX_COMPARED_ROWS = 10_000;

/** The account's changes from $2 on, before the place $3 and $4: a backward scan of the feed's primary key. */
const SCAN = `
  SELECT confirmed_at, change_id FROM feed_items
   WHERE account_id = $1 AND confirmed_at >= $2 AND (confirmed_at, change_id) < ($3::timestamptz, $4::text)
   ORDER BY confirmed_at DESC, change_id DESC`;

const ANY_SCRIPT = 'COLLATE "und-x-icu"';

const PAGE = `
  SELECT scanned.change_id AS "changeId", scanned.confirmed_at AS "confirmedAt"
    FROM (${SCAN} LIMIT ${MAX_COMPARED_ROWS}) scanned
   CROSS JOIN LATERAL (
     SELECT FROM changes c
      WHERE c.id = scanned.change_id AND ($5::text IS NULL OR c.type = $5) AND c.severity = ANY($6::severity[])
        AND ($7::text IS NULL OR c.artist_id = $7)
        AND NOT EXISTS (SELECT FROM unnest($8::text[]) word
                         WHERE position(lower(word ${ANY_SCRIPT})
                                     IN lower(concat_ws(' ', c.entity_name, c.artist_name, c.summary) ${ANY_SCRIPT})) = 0)
     OFFSET 0) c
   ORDER BY scanned.confirmed_at DESC, scanned.change_id DESC
   LIMIT $9`;

/** The ids of a page, newest first, and the place after which the list goes on; undefined at its end. */
export async function readAccountChanges(
  pool: pg.Pool,
  request: AccountChangesRequest,
): Promise<{ readonly ids: readonly ChangeId[]; readonly next: Place | undefined }> {
  const { accountId, since, type, minSeverity = 'info', artistId, words, limit } = request;
  const severities = SEVERITIES.filter((severity) => severityRank(severity) <= severityRank(minSeverity));
  const bounds = [accountId, since, ...endOf(request)];
  const { rows } = await pool.query<Place>(PAGE, [
    ...bounds,
    ...[type ?? null, severities, artistId ?? null, words, limit + 1],
  ]);
  const ids = rows.slice(0, limit).map(({ changeId }) => changeId);
  if (rows.length > limit) return { ids, next: rows[limit - 1] };
  const end = await pool.query<Place>(
    `SELECT change_id AS "changeId", confirmed_at AS "confirmedAt" FROM (${SCAN} OFFSET ${MAX_COMPARED_ROWS - 1} LIMIT 1) last`,
    bounds,
  );
  return { ids, next: end.rows[0] };
}

/** The earlier of the two: a place in the list, and the place before everything that is not before `until`. */
function endOf({ after, until }: AccountChangesRequest): readonly [Date | string, string] {
  if (after && (until === undefined || after.confirmedAt < until)) return [after.confirmedAt, after.changeId];
  return [until ?? 'infinity', ''];
}
