import { artistFilterSchema } from '@artist-watch/contracts/api/artist';
import { ApiError } from '@artist-watch/contracts/api/errors';
import type { WatchId } from '@artist-watch/domain/ids';
import type { ArtistList } from '@artist-watch/persistence/account/artist-list';
import { z } from 'zod';
import type { Identity } from '../../../application/access/identity.js';
import type { CursorSeal } from '../../../application/reading/cursor-seal.js';
import { openCursor } from '../../../application/reading/page-cursor.js';
import type { ArtistFilter, ListArtistsInput } from './schema.js';

export interface ArtistsPage {
  /** The body as it is sent. */
  readonly body: string;
  readonly nextCursor: string | null;
}

const contentSchema = z.tuple([z.string(), artistFilterSchema]);

/** The artists that the account watches, oldest watch first. */
export async function listArtists(
  { artists, cursorSeal }: { readonly artists: ArtistList; readonly cursorSeal: CursorSeal },
  { accountId }: Identity,
  { filter: asked, limit, cursor }: ListArtistsInput,
  now: Date,
): Promise<ArtistsPage> {
  const scope = `artists:${accountId}`;
  const [after, earlier] = cursor === undefined ? [] : openCursor(cursorSeal, scope, cursor, contentSchema);
  if (earlier) refuseOtherFilter(earlier, asked);
  const filter = earlier ?? asked;
  const { itemsJson, next } = await artists.readPage({
    ...filter,
    accountId,
    after: after as WatchId | undefined,
    limit,
    now,
  });
  const nextCursor = next ? cursorSeal.close(scope, [next, filter]) : null;
  return { body: `{"data":${itemsJson},"next_cursor":${JSON.stringify(nextCursor)}}`, nextCursor };
}

/** A cursor goes on with the list that it came from, and other filters make another list. */
function refuseOtherFilter(earlier: z.output<typeof artistFilterSchema>, asked: ArtistFilter): void {
  for (const name of ['status', 'q'] as const) {
    if (asked[name] === undefined || asked[name] === earlier[name]) continue;
    throw new ApiError('invalid_cursor', '"cursor" belongs to a list with other filters; leave the filters out.');
  }
}
