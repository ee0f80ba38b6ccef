import type { ShownPreviewedChange, ShownRulesPreview } from '@artist-watch/contracts/api/destination';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId } from '@artist-watch/domain/ids';
import { allowsArtist } from '../account/groups.js';
import type { Database } from '../database/database.js';

const PREVIEW_DAYS = 30;

/** Limits the cost of a preview. */
const MAX_CHANGES = 10_000;

const NEWEST_SHOWN = 10;

export type RulesPreview = ShownRulesPreview;

/**
 * Uses the same conditions as change/change-fan-out.ts. Everything is read in one statement, so that all counts come
 * from the same snapshot.
 */
const PREVIEW = `
  WITH recent AS (
    SELECT change_id FROM feed_items
     WHERE account_id = $1 AND confirmed_at >= $2
     ORDER BY confirmed_at DESC, change_id DESC LIMIT ${MAX_CHANGES}
  ), judged AS MATERIALIZED (
    SELECT c.id, c.confirmed_at, coalesce(c.severity > $3::severity, false) AS by_severity,
           cardinality($4::text[]) > 0 AND c.type <> ALL($4) AS by_type,
           NOT ${allowsArtist('c.artist_id', '$1', '$5::text[]', '$6::text[]')} AS by_artist
      FROM changes c WHERE c.id = ANY(ARRAY(SELECT change_id FROM recent))
  ), matched AS (
    SELECT *, NOT (by_severity OR by_type OR by_artist) AS matches FROM judged
  ), shown AS (
    (SELECT * FROM matched WHERE matches ORDER BY confirmed_at DESC, id DESC LIMIT ${NEWEST_SHOWN})
    UNION ALL
    (SELECT * FROM matched WHERE NOT matches ORDER BY confirmed_at DESC, id DESC LIMIT ${NEWEST_SHOWN})
  )
  SELECT count(*) FILTER (WHERE matches)::int AS matching, count(*) FILTER (WHERE NOT matches)::int AS others,
         count(*) FILTER (WHERE by_severity)::int AS by_severity, count(*) FILTER (WHERE by_type)::int AS by_type,
         count(*) FILTER (WHERE by_artist)::int AS by_artist,
         (SELECT coalesce(json_agg(json_build_object(
                   'id', c.id, 'type', c.type, 'severity', c.severity, 'entityType', c.entity_type,
                   'entityName', c.entity_name, 'artistId', c.artist_id,
                   'artistName', coalesce(c.artist_name, a.name), 'summary', c.summary,
                   'confirmedAtMs', extract(epoch FROM s.confirmed_at) * 1000,
                   'keptBackBy', array_remove(ARRAY[CASE WHEN s.by_severity THEN 'min_severity' END,
                                                    CASE WHEN s.by_type THEN 'change_types' END,
                                                    CASE WHEN s.by_artist THEN 'artist_ids' END], NULL))
                 ORDER BY s.confirmed_at DESC, s.id DESC), '[]')
            FROM shown s JOIN changes c ON c.id = s.id JOIN artists a ON a.id = c.artist_id) AS newest
    FROM matched`;

interface PreviewRow {
  readonly matching: number;
  readonly others: number;
  readonly by_severity: number;
  readonly by_type: number;
  readonly by_artist: number;
  readonly newest: readonly (Omit<ShownPreviewedChange, 'confirmedAt'> & { readonly confirmedAtMs: number })[];
}

export async function previewRules(
  { pool, perAccount }: Pick<Database, 'pool' | 'perAccount'>,
  accountId: AccountId,
  { minSeverity, changeTypes, artistIds, groupIds }: DestinationRules,
  now: Date,
): Promise<RulesPreview> {
  const since = new Date(now.getTime() - PREVIEW_DAYS * 86_400_000);
  const query = {
    name: 'preview-rules',
    text: PREVIEW,
    values: [accountId, since, minSeverity, changeTypes, artistIds, groupIds],
  };
  const { rows } = await perAccount.run(accountId, () => pool.query<PreviewRow>(query));
  const [row] = rows as [PreviewRow];
  const newest = row.newest.map(({ confirmedAtMs, ...change }) => ({
    ...change,
    confirmedAt: new Date(confirmedAtMs),
  }));
  return {
    days: PREVIEW_DAYS,
    matching: { count: row.matching, newest: newest.filter(({ keptBackBy }) => keptBackBy.length === 0) },
    others: {
      count: row.others,
      byRule: { min_severity: row.by_severity, change_types: row.by_type, artist_ids: row.by_artist },
      newest: newest.filter(({ keptBackBy }) => keptBackBy.length > 0),
    },
  };
}
