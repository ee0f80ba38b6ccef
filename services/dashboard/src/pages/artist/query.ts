import { historyStart, PLANS } from '@artist-watch/domain/account/plans';
import type { ArtistId } from '@artist-watch/domain/ids';
import { platformUrl } from '@artist-watch/domain/platform/platform-id';
import { artistReads, readArtistDays, readChecks } from '@artist-watch/persistence/artist/artist-reads';
import { readNewestChanges } from '@artist-watch/persistence/change/change-reads';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Visit } from '../../application/page.js';
import { shownCheck } from '../../views/table.js';
import type { Watching } from '../parts.js';

const DAY_MS = 86_400_000;
const CHART_DAYS = 90;
const PAGE_RELEASES = 25;
const CHECKS_SHOWN = 50;
const CHANGES_SHOWN = 20;

/** Reads the page's data with five statements. @throws NotFound */
export async function readArtist(
  database: Database,
  watching: Watching,
  visit: Visit,
  { artistId, offset }: { readonly artistId: ArtistId; readonly offset: number },
) {
  const { platform, intervalFactor } = watching;
  const { account, now } = visit;
  const watch = { accountId: account.id, artistId };
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const { historyDays } = PLANS[account.plan];
  const firstDay = daysAgo(Math.min(CHART_DAYS, historyDays));
  const [artist, days, { releases, nextOffset }, live] = await Promise.all([
    artistReads(database, intervalFactor).show(watch, daysAgo(historyDays), now),
    readArtistDays(database, intervalFactor, { ...watch, plan: account.plan }, firstDay),
    artistReads(database, intervalFactor).releases(watch, { offset, limit: PAGE_RELEASES }),
    readLive(database, watching, visit, artistId),
  ]);
  return {
    artist,
    days,
    nextOffset,
    releases: releases.map((release) => ({
      ...release,
      url: platformUrl(platform, 'release', release.platformId),
    })),
    mergedUrl: platformUrl(platform, 'artist', artist.mergedInto ?? artist.platformId),
    ...live,
  };
}

/** Reads the data that an open page refreshes, with two statements. Empty if the artist isn't watched. */
export async function readLive(
  database: Database,
  { confirmation }: Watching,
  { account, now }: Visit,
  artistId: ArtistId,
) {
  const since = historyStart(account.plan, now);
  const watch = { accountId: account.id, artistId };
  const [checks, changes] = await Promise.all([
    readChecks(database, { ...watch, limit: CHECKS_SHOWN }),
    readNewestChanges(database.pool, { ...watch, since, limit: CHANGES_SHOWN }),
  ]);
  return { checks: checks.map((check) => shownCheck(check, confirmation)), changes };
}
