import type { ArtistItem } from '@artist-watch/contracts/api/artist';
import { oldestOf, PLANS } from '@artist-watch/domain/account/plans';
import { artistList } from '@artist-watch/persistence/account/artist-list';
import { artistChecks } from '@artist-watch/persistence/artist/artist-checks';
import { readNewestChanges } from '@artist-watch/persistence/change/change-reads';
import { countBySpan } from '@artist-watch/persistence/change/feed-range';
import type { Database } from '@artist-watch/persistence/database/database';
import { readUnhealthy } from '@artist-watch/persistence/destination/reads';
import type { Visit } from '../../application/page.js';
import { shownCheck, type Watching } from '../../application/watching.js';
import { dayIn, daysUntil, startOfDay } from '../../application/zoned-day.js';

const CHART_DAYS = 30;
const NEWEST_CHANGES = 30;
const STALE_SHOWN = 20;
const CHECKS_SHOWN = 20;

/** What the page shows, in five statements. */
export async function readOverview(database: Database, watching: Watching, visit: Visit) {
  const { account, now } = visit;
  const stale = { accountId: account.id, status: 'stale', limit: STALE_SHOWN, now } as const;
  const [destinations, staleArtists, days, live] = await Promise.all([
    readUnhealthy(database.pool, account.id),
    artistList(database, watching.intervalFactor).readPage(stale),
    readDays(database, visit),
    readLive(database, watching, visit),
  ]);
  return {
    ...live,
    days,
    destinations,
    stale: JSON.parse(staleArtists.itemsJson) as readonly ArtistItem[],
    hasMoreStale: staleArtists.next !== undefined,
  };
}

/** What is asked for again while the page is open, in two statements. */
export async function readLive(database: Database, { confirmation }: Watching, { account, now }: Visit) {
  const since = oldestOf(account.plan, now);
  const [checks, newest] = await Promise.all([
    artistChecks(database).list({ accountId: account.id, limit: CHECKS_SHOWN + 1 }),
    readNewestChanges(database.pool, { accountId: account.id, since, limit: NEWEST_CHANGES }),
  ]);
  return {
    checks: checks.slice(0, CHECKS_SHOWN).map((check) => shownCheck(check, confirmation)),
    hasMoreChecks: checks.length > CHECKS_SHOWN,
    changes: newest,
  };
}

/** Changes by day of the member's zone, as the filters of the list count days. */
async function readDays(database: Database, { account, now, zone }: Visit) {
  const count = Math.min(CHART_DAYS, PLANS[account.plan].historyDays);
  const { days, starts } = chartDays(zone, dayIn(zone, now), count);
  const counts = await countBySpan(database.pool, { accountId: account.id, starts });
  return days.map((day, index) => ({ day, critical: 0, warning: 0, info: 0, ...counts[index] }));
}

interface ChartDays {
  readonly days: readonly string[];
  /** The first instant of each. */
  readonly starts: readonly Date[];
}

const known = new Map<string, ChartDays>();

/** Of each zone they are the same until midnight, and finding them takes as long as three frames of a page. */
function chartDays(zone: string, last: string, count: number): ChartDays {
  const name = `${zone} ${count}`;
  const found = known.get(name);
  if (found?.days.at(-1) === last) return found;
  const days = daysUntil(last, count);
  const made = { days, starts: days.map((day) => startOfDay(day, zone)) };
  known.set(name, made);
  return made;
}
