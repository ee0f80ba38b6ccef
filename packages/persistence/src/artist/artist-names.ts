import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';

/** More than any plan watches. */
const NAMED = 1_000;

export interface ArtistName {
  readonly id: ArtistId;
  readonly name: string;
}

/** The artists that an account watches, by name, for choosing among them. */
export async function artistNames({ pool }: Pick<Database, 'pool'>, accountId: AccountId): Promise<ArtistName[]> {
  const { rows } = await pool.query<ArtistName>({
    name: 'artist-names',
    text: `SELECT a.id, a.name FROM watches w JOIN artists a ON a.id = w.artist_id
            WHERE w.account_id = $1 ORDER BY lower(a.name), a.id LIMIT ${NAMED}`,
    values: [accountId],
  });
  return rows;
}
