import type { DestinationKind } from '@artist-watch/domain/channel/destination-kind';
import type { AccountId, DestinationId } from '@artist-watch/domain/ids';
import type { Database } from '../database/database.js';
import { IS_UNDELIVERABLE } from './undeliverable.js';

/** Bounds what an account costs that made and deleted very many. */
const NAMED = 200;

/** What a destination is called in a list of something else. */
export interface DestinationLabel {
  readonly id: DestinationId;
  /** Null for none. */
  readonly name: string | null;
  readonly kind: DestinationKind;
  /** Of a channel without its secret part. */
  readonly url: string;
  readonly isDeleted: boolean;
  /** Nothing is sent to it: it is off, paused by the plan, or deleted. */
  readonly isUndeliverable: boolean;
}

/** The newest of an account's destinations, deleted ones too: their deliveries can still be read. */
export async function destinationLabels(
  { pool }: Pick<Database, 'pool'>,
  accountId: AccountId,
): Promise<DestinationLabel[]> {
  const { rows } = await pool.query<DestinationLabel>(
    `SELECT id, name, kind, url, deleted_at IS NOT NULL AS "isDeleted", ${IS_UNDELIVERABLE} AS "isUndeliverable"
       FROM destinations t
      WHERE account_id = $1 ORDER BY deleted_at IS NOT NULL, id DESC LIMIT ${NAMED}`,
    [accountId],
  );
  return rows;
}
