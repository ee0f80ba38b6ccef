import { historyStart, PLANS } from '@artist-watch/domain/account/plans';
import { changeEvents, gradeEvent } from '@artist-watch/domain/change/change-events';
import type { AccountId } from '@artist-watch/domain/ids';
import { instantOf, wallTime } from '@artist-watch/domain/zoned-time';
import { readHealth } from '@artist-watch/persistence/account/artist-list';
import { readChecks } from '@artist-watch/persistence/artist/artist-reads';
import { readAttention, readNewestChanges } from '@artist-watch/persistence/change/change-reads';
import { readGroupableChanges } from '@artist-watch/persistence/change/feed-range';
import type { Database } from '@artist-watch/persistence/database/database';
import { LRUCache } from 'lru-cache';
import type { Visit } from '../../application/page.js';
import { shownCheck } from '../../views/table.js';
import type { Watching } from '../parts.js';

const CHART_DAYS = 30;
const NEWEST_CHANGES = 20;
const BROKEN_SHOWN = 20;
const ATTENTION_SHOWN = 30;
const CHECKS_SHOWN = 20;
const DAY_MS = 86_400_000;

export async function readOverview(database: Database, watching: Watching, visit: Visit) {
  const live = await readLive(database, watching, visit);
  return { ...live, days: await readDays(database, visit, live.changes[0]?.id) };
}

export async function readLive(database: Database, watching: Watching, { account, now }: Visit) {
  const { id: accountId, plan } = account;
  const since = historyStart(plan, now);
  const [health, attention, checks, changes] = await Promise.all([
    readHealth(database.pool, watching.intervalFactor, { accountId, limit: BROKEN_SHOWN + 1, now }),
    database.perAccount.run(accountId, () =>
      readAttention(database.pool, { accountId, since, limit: ATTENTION_SHOWN + 1 }),
    ),
    readChecks(database, { accountId, limit: CHECKS_SHOWN + 1 }),
    readNewestChanges(database.pool, { accountId, since, limit: NEWEST_CHANGES }),
  ]);
  return {
    health: { ...health, brokenArtists: health.brokenArtists.slice(0, BROKEN_SHOWN) },
    hasMoreBroken: health.brokenArtists.length > BROKEN_SHOWN,
    attention: attention.slice(0, ATTENTION_SHOWN),
    hasMoreAttention: attention.length > ATTENTION_SHOWN,
    checks: checks.slice(0, CHECKS_SHOWN).map((check) => shownCheck(check, watching.confirmation)),
    hasMoreChecks: checks.length > CHECKS_SHOWN,
    changes,
  };
}

interface ChartRequest {
  readonly database: Database;
  readonly accountId: AccountId;
  readonly zone: string;
  /** Today's date in the member's time zone. */
  readonly last: string;
  readonly count: number;
}

/** @param newest id of the newest change, so that the chart never contradicts the list of changes */
async function readDays(database: Database, { account: { id: accountId, plan }, now, zone }: Visit, newest = '') {
  const last = isoDay(wallTime(now, zone));
  const count = Math.min(CHART_DAYS, PLANS[plan].historyDays);
  return CHARTS.forceFetch(`${accountId} ${zone} ${last} ${count} ${newest}`, {
    context: { database, accountId, zone, last, count },
  });
}

/** For a busy account, grouping changes takes 0.1 s of CPU time, so each account's chart is cached until its next change, for at most a minute. */
const CHARTS = new LRUCache<string, Awaited<ReturnType<typeof countDays>>, ChartRequest>({
  max: 200,
  ttl: 60_000,
  ignoreFetchAbort: true,
  fetchMethod: (_key, _earlier, { context }) => countDays(context),
});

async function countDays({ database, accountId, zone, last, count }: ChartRequest) {
  const firstMs = Date.parse(`${last}T00:00Z`) - (count - 1) * DAY_MS;
  const days = Array.from({ length: count }, (_, index) => isoDay(new Date(firstMs + index * DAY_MS)));
  const starts = days.map((day) => instantOf(day, 0, zone));
  const changes = await readGroupableChanges(database, { accountId, since: starts[0] as Date });
  const counts = days.map((day) => ({ day, critical: 0, warning: 0, info: 0 }));
  // Count events just like rows in the list of changes, where each event appears on the day of its newest change.
  for (const { newest, severity } of changeEvents(changes).map(gradeEvent)) {
    const day = counts[starts.findLastIndex((start) => start <= newest.confirmedAt)];
    if (day) day[severity] += 1;
  }
  return counts;
}

function isoDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}
