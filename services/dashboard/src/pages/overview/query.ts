import { historyStart, PLANS } from '@artist-watch/domain/account/plans';
import { instantOf, wallTime } from '@artist-watch/domain/zoned-time';
import { readHealth } from '@artist-watch/persistence/account/artist-list';
import { artistChecks } from '@artist-watch/persistence/artist/artist-checks';
import { readAttention } from '@artist-watch/persistence/change/attention';
import { readNewestChanges } from '@artist-watch/persistence/change/change-reads';
import { countBySpan } from '@artist-watch/persistence/change/feed-range';
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
  const { days, starts } = chartDays(zone, isoDay(wallTime(now, zone)), count);
  const counts = await countBySpan(database, { accountId: account.id, starts });
  return days.map((day, index) => ({ day, critical: 0, warning: 0, info: 0, ...counts[index] }));
}

interface ChartDays {
  readonly days: readonly string[];
  readonly starts: readonly Date[];
}

/** The size is limited, because a zone can have many spellings. */
const known = new LRUCache<string, ChartDays>({ max: 200 });

/** Computing the days takes as long as rendering three page frames, so they are cached until midnight. */
function chartDays(zone: string, last: string, count: number): ChartDays {
  const name = `${zone} ${count}`;
  const found = known.get(name);
  if (found?.days.at(-1) === last) return found;
  const days = daysUntil(last, count);
  const made = { days, starts: days.map((day) => instantOf(day, 0, zone)) };
  known.set(name, made);
  return made;
}

function daysUntil(last: string, count: number): string[] {
  const endMs = Date.parse(`${last}T00:00Z`);
  return Array.from({ length: count }, (_, index) => isoDay(new Date(endMs - (count - 1 - index) * DAY_MS)));
}

function isoDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}
