import type { BulkLine } from '@artist-watch/contracts/api/artist-search';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { watchedAmong } from '@artist-watch/persistence/account/artist-list';
import { watchMany } from '@artist-watch/persistence/account/watch-many';
import { GateFull } from '@artist-watch/runtime/gate';
import { newArtistId, newId } from '@artist-watch/runtime/ids';
import type { Line } from '@artist-watch/track-lookup/artist/artist-lines';
import { bulkWatch, NAMES_DEADLINE_MS } from '@artist-watch/track-lookup/artist/bulk-watch';
import type { Visit } from '../../application/page.js';
import type { PageParts } from '../parts.js';

/** What the platform finds for a name, or why it was not asked; nothing where there is no name. */
export async function searchByName({ reads, watching, tools }: PageParts, { account, now }: Visit, name: string) {
  if (name === '') return { found: [], problem: undefined };
  const caller = { accountId: account.id, plan: account.plan };
  try {
    const found = await tools.artists.find(name, caller, now);
    const ids = found.map(({ platformId }) => platformId);
    const watched = await watchedAmong(reads.pool, account.id, watching.platform, ids);
    return { found: found.map((one) => ({ ...one, artistId: watched.get(one.platformId) })), problem: undefined };
  } catch (error) {
    if (error instanceof ApiError) return { found: [], problem: error.message };
    if (error instanceof GateFull) return { found: [], problem: 'Too many are searching at the moment. Try again.' };
    throw error;
  }
}

/** Watches what each line means, in one step: each has its own answer. */
export function watchLines(
  { writes, watching, tools }: PageParts,
  { account, actor: by, now }: Visit,
  lines: readonly Line[],
): Promise<BulkLine[]> {
  const { platform, intervalFactor } = watching;
  const { id: accountId, plan } = account;
  return bulkWatch(
    {
      platform,
      find: (name) => tools.artists.find(name, { accountId, plan }, now),
      monotonicMs: () => performance.now(),
      namesDeadlineMs: NAMES_DEADLINE_MS,
      watch: (artists) => watchMany(writes, intervalFactor, { accountId, platform, artists, by, now }),
      newIds: () => ({ watchId: newId('wat', now), artistId: newArtistId() }),
    },
    lines,
  );
}
