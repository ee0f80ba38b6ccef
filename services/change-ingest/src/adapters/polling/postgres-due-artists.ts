import type { Platform } from '@artist-watch/domain/catalogue';
import type { Database } from '@artist-watch/persistence/database/database';
import {
  type CloserDepth,
  claimCloserReadings,
  claimDueArtists,
  releaseClaims,
  renewClaims,
  writeNextCloserReading,
} from '@artist-watch/persistence/polling/due-artists';
import type { DueArtist, DueArtists } from '../../application/polling/ports.js';

/**
 * @param leaseMs how long a claim lasts that is not renewed: what a dead replica was reading is read after it.
 * @param intervalFactor POLL_INTERVAL_FACTOR.
 */
export function createPostgresDueArtists(
  { pool }: Database,
  platform: Platform,
  leaseMs: number,
  intervalFactor: number,
): DueArtists {
  const until = (now: Date) => new Date(now.getTime() + leaseMs);
  const closer = async (depth: CloserDepth, limit: number, now: Date): Promise<DueArtist[]> => {
    const claimed = await claimCloserReadings(pool, depth, { platform, limit, now, claimedUntil: until(now) });
    return claimed.map(({ after, planIntervalMs, ...due }) => ({
      ...due,
      closer: { depth, after, intervalMs: planIntervalMs * intervalFactor },
    }));
  };
  return {
    async claim(kind, limit, mostOfAccount, now) {
      const claimedUntil = until(now);
      if (kind !== 'closer') return claimDueArtists(pool, kind, { platform, limit, mostOfAccount, now, claimedUntil });
      const deep = await closer('deep', limit, now);
      return deep.length < limit ? [...deep, ...(await closer('full', limit - deep.length, now))] : deep;
    },
    noteCloser: (artistId, depth, next) => writeNextCloserReading(pool, depth, artistId, next),
    renew: (artistIds, now) => renewClaims(pool, artistIds, until(now)),
    release: (artistIds) => releaseClaims(pool, artistIds),
  };
}
