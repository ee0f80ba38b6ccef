import type { Platform } from '@artist-watch/domain/catalogue';
import type { Database } from '@artist-watch/persistence/database/database';
import { claimDueArtists, releaseClaims, renewClaims } from '@artist-watch/persistence/polling/due-artists';
import type { DueArtists } from '../../application/polling/ports.js';

/** @param leaseMs how long a claim lasts that is not renewed: what a dead replica was reading is read after it. */
export function createPostgresDueArtists({ pool }: Database, platform: Platform, leaseMs: number): DueArtists {
  const until = (now: Date) => new Date(now.getTime() + leaseMs);
  return {
    claim: (kind, limit, now) => claimDueArtists(pool, kind, { platform, limit, now, claimedUntil: until(now) }),
    renew: (artistIds, now) => renewClaims(pool, artistIds, until(now)),
    release: (artistIds) => releaseClaims(pool, artistIds),
  };
}
