import type { ChangeFilter } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId } from '@artist-watch/domain/ids';
import { feedPageStatement } from '@artist-watch/persistence/change/feed-range';
import type pg from 'pg';
import { median } from '../measuring/statistics.js';
import type { BenchServers } from '../processes/bench-servers.js';
import type { Figure } from '../reporting/figure.js';
import { artistIdOf, MAX_PAGE_ITEMS } from './dataset.js';
import type { Installation } from './installation.js';

const DAY_MS = 86_400_000;

const FILTERS: Readonly<Record<string, { readonly filter: ChangeFilter; readonly untilHours?: number }>> = {
  type: { filter: { types: ['release_removed'] } },
  severity: { filter: { minSeverity: 'critical' } },
  artist_id: { filter: { artistId: artistIdOf('one1') } },
  entity_id: { filter: { entityId: '500' } },
  until: { filter: {}, untilHours: 12 },
  q: { filter: { words: ['night', 'vale'] } },
};

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface Cost {
  readonly rows: number;
  /** Each buffer is an 8 KiB page. A deeper index requires reading more pages. */
  readonly buffers: number;
  readonly ms: number;
}

export async function filterFigures(
  { openPool }: BenchServers,
  few: Installation,
  many: Installation,
  runs: number,
): Promise<Figure[]> {
  const costsIn = ({ databaseUrl, dataset }: Installation) =>
    costs(openPool(databaseUrl, 1), dataset.ofOneArtist[0]?.accountId as AccountId, runs);
  const [ofFew, ofMany] = [await costsIn(few), await costsIn(many)];
  return Object.keys(FILTERS).flatMap((name): Figure[] => {
    const [small, large] = [ofFew.get(name), ofMany.get(name)];
    if (!small || !large) throw new Error(`The filter ${name} was not measured.`);
    const row = `filter by \`${name}\``;
    return [
      { name: row, column: 'rows read, many changes to few (limit 1.2)', value: large.rows / small.rows, atMost: 1.2 },
      { name: row, column: 'pages read, many to few', value: large.buffers / small.buffers },
      { name: row, column: 'time in PostgreSQL, many to few', value: large.ms / small.ms },
      { name: row, column: 'rows read, many changes', value: large.rows, digits: 0 },
    ];
  });
}

async function costs(pool: pg.Pool, accountId: AccountId, runs: number): Promise<ReadonlyMap<string, Cost>> {
  const measured = new Map<string, Cost>();
  for (const [name, { filter, untilHours }] of Object.entries(FILTERS)) {
    const now = Date.now();
    const until = untilHours === undefined ? undefined : new Date(now - (untilHours * DAY_MS) / 24);
    const statement = feedPageStatement({ accountId, since: new Date(now - DAY_MS), until, filter }, MAX_PAGE_ITEMS);
    // The first execution loads the pages into memory.
    let cost = await explain(pool, statement);
    const times: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      cost = await explain(pool, statement);
      times.push(cost.ms);
    }
    measured.set(name, { ...cost, ms: median(times) });
  }
  return measured;
}

async function explain(
  pool: pg.Pool,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
): Promise<Cost> {
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode; 'Execution Time': number }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    [...values],
  );
  const explained = rows[0]?.['QUERY PLAN'][0];
  if (!explained) throw new Error('EXPLAIN returned nothing.');
  const { Plan: plan, 'Execution Time': ms } = explained;
  return { rows: rowsOf(plan), buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], ms };
}

function rowsOf(node: PlanNode): number {
  if (node.Plans && node.Plans.length > 0) return node.Plans.reduce((sum, part) => sum + rowsOf(part), 0);
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}
