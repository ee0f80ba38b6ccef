import { historyStart, PLANS } from '@artist-watch/domain/account/plans';
import { changeEvents } from '@artist-watch/domain/change/change-events';
import { gradeEvent } from '@artist-watch/domain/change/listed-events';
import { instantOf, wallTime } from '@artist-watch/domain/zoned-time';
import { readHealth } from '@artist-watch/persistence/account/artist-list';
import { artistChecks } from '@artist-watch/persistence/artist/artist-checks';
import { readAttention } from '@artist-watch/persistence/change/attention';
import { readNewestChanges } from '@artist-watch/persistence/change/change-reads';
import { readGroupableChanges } from '@artist-watch/persistence/change/feed-range';
import type { Database } from '@artist-watch/persistence/database/database';
import { LRUCache } from 'lru-cache';
import type { Visit } from '../../application/page.js';
import { shownCheck } from '../../views/checks-table.js';
import type { Watching } from '../parts.js';

const CHART_DAYS = 30;
const NEWEST_CHANGES = 20;
const BROKEN_SHOWN = 20;
const ATTENTION_SHOWN = 30;
const CHECKS_SHOWN = 20;
const DAY_MS = 86_400_000;

export async function readOverview(database: Database, watching: Watching, visit: Visit) {
  const [live, days] = await Promise.all([readLive(database, watching, visit), readDays(database, visit)]);
  return { ...live, days };
}

export async function readLive(database: Database, watching: Watching, { account, now }: Visit) {
  const { id: accountId, plan } = account;
  const since = historyStart(plan, now);
  const [health, attention, checks, changes] = await Promise.all([
    readHealth(database.pool, watching.intervalFactor, { accountId, limit: BROKEN_SHOWN + 1, now }),
    database.perAccount.run(accountId, () =>
      readAttention(database.pool, { accountId, since, limit: ATTENTION_SHOWN + 1 }),
    ),
    artistChecks(database).list({ accountId, limit: CHECKS_SHOWN + 1 }),
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

async function readDays(database: Database, { account, now, zone }: Visit) {
  const count = Math.min(CHART_DAYS, PLANS[account.plan].historyDays);
  const { days, starts } = CHARTS.memo(`${zone} ${isoDay(wallTime(now, zone))} ${count}`);
  const changes = await readGroupableChanges(database, { accountId: account.id, since: starts[0] ?? now });
  const counts = days.map((day) => ({ day, critical: 0, warning: 0, info: 0 }));
  // Events count as rows of the list of changes, which shows them on the day of their newest change.
  for (const { newest, severity } of changeEvents(changes).map(gradeEvent)) {
    const day = counts[starts.findLastIndex((start) => start <= newest.confirmedAt)];
    if (day) day[severity] += 1;
  }
  return counts;
}

/** Computing the days of a zone takes as long as rendering three page frames. The size is limited, because a zone can have many spellings. */
const CHARTS = new LRUCache<string, { readonly days: readonly string[]; readonly starts: readonly Date[] }>({
  max: 200,
  memoMethod: (key) => {
    const [zone = '', last, count] = key.split(' ');
    const firstMs = Date.parse(`${last}T00:00Z`) - (Number(count) - 1) * DAY_MS;
    const days = Array.from({ length: Number(count) }, (_, index) => isoDay(new Date(firstMs + index * DAY_MS)));
    return { days, starts: days.map((day) => instantOf(day, 0, zone)) };
  },
});

function isoDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}
