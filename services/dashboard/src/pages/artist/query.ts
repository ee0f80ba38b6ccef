import { PLANS } from '@artist-watch/domain/account/plans';
import type { ArtistId } from '@artist-watch/domain/ids';
import { platformUrl } from '@artist-watch/domain/platform/platform-url';
import { artistChecks } from '@artist-watch/persistence/artist/artist-checks';
import { artistDays } from '@artist-watch/persistence/artist/artist-days';
import { artistReads } from '@artist-watch/persistence/artist/artist-reads';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Visit } from '../../application/page.js';
import { shownCheck } from '../../application/shown-check.js';
import type { Watching } from '../../application/watching.js';

const DAY_MS = 86_400_000;
const CHART_DAYS = 90;
const PAGE_RELEASES = 25;
const CHECKS_SHOWN = 50;

/** What the page shows, in four statements. @throws NotFound */
export async function readArtist(
  database: Database,
  { platform, intervalFactor, confirmation }: Watching,
  { account, now }: Visit,
  { artistId, offset }: { readonly artistId: ArtistId; readonly offset: number },
) {
  const watch = { accountId: account.id, artistId };
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const { historyDays } = PLANS[account.plan];
  const [artist, days, { releases, nextOffset }, checks] = await Promise.all([
    artistReads(database, intervalFactor).show(watch, daysAgo(historyDays), now),
    artistDays(database, intervalFactor).read(
      { ...watch, plan: account.plan },
      daysAgo(Math.min(CHART_DAYS, historyDays)),
    ),
    artistReads(database, intervalFactor).releases(watch, { offset, limit: PAGE_RELEASES }),
    artistChecks(database).list({ ...watch, limit: CHECKS_SHOWN }),
  ]);
  return {
    artist,
    days,
    nextOffset,
    releases: releases.map((release) => ({
      ...release,
      url: platformUrl(platform, 'release', release.platformId),
    })),
    checks: checks.map((check) => shownCheck(check, confirmation)),
  };
}
