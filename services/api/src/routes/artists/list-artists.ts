import { artistFilterSchema } from '@artist-watch/contracts/api/artist';
import { ApiError } from '@artist-watch/contracts/api/errors';
import type { ARTIST_OPERATIONS } from '@artist-watch/contracts/api/operations/artist-operations';
import type { Principal } from '@artist-watch/domain/account/actor';
import type { WatchId } from '@artist-watch/domain/ids';
import type { ArtistList } from '@artist-watch/persistence/account/artist-list';
import { z } from 'zod';
import { type CursorSeal, openCursor } from '../../application/reading/cursor-seal.js';

interface ArtistsPage {
  /** The body as it is sent. */
  readonly body: string;
  readonly nextCursor: string | null;
}

const contentSchema = z.tuple([z.string(), artistFilterSchema]);

/** The artists that the account watches, oldest watch first. */
export async function listArtists(
  { list, cursorSeal }: { readonly list: ArtistList; readonly cursorSeal: CursorSeal },
  { accountId }: Principal,
  { limit, cursor, ...asked }: z.output<typeof ARTIST_OPERATIONS.listArtists.query>,
  now: Date,
): Promise<ArtistsPage> {
  const scope = `artists:${accountId}`;
  const [after, earlier] = openCursor(cursorSeal, scope, cursor, contentSchema) ?? [];
  if (earlier) refuseOtherFilter(earlier, asked);
  const filter = earlier ?? asked;
  const request = { ...filter, accountId, after: after as WatchId | undefined, limit, now };
  const { itemsJson, next } = await list.readPage(request);
  const nextCursor = next ? cursorSeal.close(scope, [next, filter]) : null;
  return { body: `{"data":${itemsJson},"next_cursor":${JSON.stringify(nextCursor)}}`, nextCursor };
}

type ArtistFilter = z.output<typeof artistFilterSchema>;

/** A cursor goes on with the list that it came from, and other filters make another list. */
function refuseOtherFilter(earlier: ArtistFilter, asked: ArtistFilter): void {
  for (const name of ['status', 'q'] as const) {
    if (asked[name] === undefined || asked[name] === earlier[name]) continue;
    throw new ApiError('invalid_cursor', '"cursor" belongs to a list with other filters; leave the filters out.');
  }
}
