import type { AccountId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';
import { instantText } from '../database/json-text.js';

export interface ArtistList {
  /** A JSON array of the artists that the account watches, as the API shows them, oldest watch first. */
  readJson(accountId: AccountId): Promise<string>;
}

/** The subquery ends in OFFSET 0 so that it stays one: the order of its rows is the order of the array. */
const READ_ARTISTS = `
  SELECT '[' || coalesce(string_agg(row_to_json(shown)::text, ','), '') || ']' AS items
    FROM (SELECT a.id, a.platform_id, a.name, a.monthly_listeners, a.followers,
                 ${instantText('a.metrics_observed_at')} AS metrics_observed_at
            FROM watches w JOIN artists a ON a.id = w.artist_id
           WHERE w.account_id = $1
           ORDER BY w.id
          OFFSET 0) shown`;

export function artistList(database: Database): ArtistList {
  return {
    async readJson(accountId) {
      const { rows } = await database.pool.query<{ items: string }>({
        name: 'read-artists',
        text: READ_ARTISTS,
        values: [accountId],
      });
      return rows[0]?.items ?? '[]';
    },
  };
}
