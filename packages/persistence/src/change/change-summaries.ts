import type { Severity } from '@artist-watch/domain/change/change-types';
import type { ChangeId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';

/** What a change is called in a list of something else. */
export interface ChangeSummary {
  readonly id: ChangeId;
  readonly severity: Severity;
  readonly summary: string;
  readonly artistName: string;
}

/** @param ids of what the account has already: whether it may see them is not asked again. */
export async function changeSummaries(
  { pool }: Pick<Database, 'pool'>,
  ids: readonly ChangeId[],
): Promise<ReadonlyMap<ChangeId, ChangeSummary>> {
  if (ids.length === 0) return new Map();
  const { rows } = await pool.query<ChangeSummary>(
    `SELECT c.id, c.severity, c.summary, a.name AS "artistName" FROM changes c JOIN artists a ON a.id = c.artist_id
      WHERE c.id = ANY($1)`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}
