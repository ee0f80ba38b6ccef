import type { ArtistItem } from '@artist-watch/contracts/api/artist';
import type { ChangeItem } from '@artist-watch/contracts/api/change';
import { PLANS } from '@artist-watch/domain/account/plans';
import { artistList } from '@artist-watch/persistence/account/artist-list';
import { artistChecks } from '@artist-watch/persistence/artist/artist-checks';
import type { FeedStore } from '@artist-watch/persistence/change/feed-store';
import type { Database } from '@artist-watch/persistence/database/database';
import { readDestinations } from '@artist-watch/persistence/destination/reads';
import type { Visit } from '../../application/page.js';
import { shownCheck } from '../../application/shown-check.js';
import type { Watching } from '../../application/watching.js';

const DAY_MS = 86_400_000;
const NEWEST_CHANGES = 30;
const STALE_SHOWN = 20;
const CHECKS_SHOWN = 20;

/** What the page shows, in five statements. */
export async function readOverview(
  database: Database,
  feed: FeedStore,
  { intervalFactor, confirmation }: Watching,
  { account, now }: Visit,
) {
  const accountId = account.id;
  const since = new Date(now.getTime() - PLANS[account.plan].historyDays * DAY_MS);
  const [destinations, stale, checks, newest] = await Promise.all([
    readDestinations(database.pool, accountId),
    artistList(database, intervalFactor).readPage({ accountId, status: 'stale', limit: STALE_SHOWN, now }),
    artistChecks(database).list({ accountId, limit: CHECKS_SHOWN + 1 }),
    feed.readPage({ accountId, since, after: undefined, filter: {}, limit: NEWEST_CHANGES }),
  ]);
  return {
    destinations: destinations.filter(({ state, pausedByPlan }) => state === 'off' || pausedByPlan),
    stale: JSON.parse(stale.itemsJson) as readonly ArtistItem[],
    hasMoreStale: stale.next !== undefined,
    checks: checks.slice(0, CHECKS_SHOWN).map((check) => shownCheck(check, confirmation)),
    hasMoreChecks: checks.length > CHECKS_SHOWN,
    changes: newest.items.map((item) => JSON.parse(Buffer.from(item).toString('utf8')) as ChangeItem),
  };
}
