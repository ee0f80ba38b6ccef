import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Bench, BenchOptions } from '../bench.js';
import { familyCpuMs } from '../processes/family-cpu.js';
import { leaveMeasuredCore } from '../processes/pinning.js';
import type { Figure } from '../reporting/figure.js';
import { makeDue, untilNoneIsDue } from './cycle.js';
import { onWatchedPlatform, UNLIMITED, type WatchedPlatform } from './watched-platform.js';

/** `counted` is the number of artists polled while PostgreSQL logs every statement. */
const FULL = { artists: 10_000, counted: 2_000 };
const QUICK: typeof FULL = { artists: 150, counted: 100 };

interface CycleFigures {
  readonly seconds: number;
  readonly ingestCpuMs: number;
  readonly postgresCpuMs: number;
  readonly requests: number;
}

export const pollingBench: Bench = {
  title: 'Polling without a platform limit',
  method: `
One process of change-ingest, on a separate core, polls 10,000 watched artists that are due at once. The simulated platform (without
quota), PostgreSQL and Redis share the other cores. Every artist was read in detail before and none has changed, but some releases
are due in the daily rotation. Detailed reads from spare budget are not due. The time is from the moment at which all are due until
the last one is settled. Statements are counted in a separate cycle, in PostgreSQL's log, including BEGIN, COMMIT and those of other
loops.`,
  run(options) {
    leaveMeasuredCore();
    const extent = options.quick ? QUICK : FULL;
    const { profileDirectory } = options;
    return onWatchedPlatform({ artists: extent.artists, profileDirectory }, async (platform) => {
      await learn(platform, extent, options);
      const cycle = await measuredCycle(platform, extent, options);
      const counted = await countedCycle(platform, extent, options);
      return figuresOf(cycle, counted, extent);
    });
  },
};

/** Creates baselines that include every track, and a digest of each artist's release list. */
async function learn(
  { pool, startIngest }: WatchedPlatform,
  { artists }: typeof FULL,
  { say }: BenchOptions,
): Promise<void> {
  const ingest = await startIngest();
  const readMs = await untilNoneIsDue(pool, say);
  say(`first poll of every artist, with all tracks: ${(readMs / 1000).toFixed(1)} s`);
  await makeDue(pool, artists);
  const againMs = await untilNoneIsDue(pool, say);
  say(`second poll of every artist, with comparison to its baseline: ${(againMs / 1000).toFixed(1)} s`);
  await ingest.stop();
  // Disables detailed reads, because they would use up all remaining CPU time.
  await pool.query(`UPDATE artists SET deep_look_at = 'infinity', full_look_at = 'infinity'`);
  await pool.query('VACUUM ANALYZE');
}

async function measuredCycle(platform: WatchedPlatform, { artists }: typeof FULL, { say }: BenchOptions) {
  const { pool, postgresPid } = platform;
  const ingest = await platform.startIngest(UNLIMITED, { profiled: true });
  await platform.requests();
  const before = { ingestCpuMs: (await ingest.usage()).cpuMs, postgresCpuMs: familyCpuMs(postgresPid) };
  await makeDue(pool, artists);
  const seconds = (await untilNoneIsDue(pool, say)) / 1000;
  const figures: CycleFigures = {
    seconds,
    ingestCpuMs: (await ingest.usage()).cpuMs - before.ingestCpuMs,
    postgresCpuMs: familyCpuMs(postgresPid) - before.postgresCpuMs,
    requests: await platform.requests(),
  };
  say(
    `measured cycle: ${Object.entries(figures)
      .map(([name, value]) => `${name} ${value.toFixed(1)}`)
      .join(', ')}`,
  );
  await ingest.stop();
  return figures;
}

async function countedCycle(platform: WatchedPlatform, { counted }: typeof FULL, { say }: BenchOptions) {
  const { pool, startIngest } = platform;
  await makeDue(pool, counted);
  const count = await countStatements(platform, async () => {
    const ingest = await startIngest();
    await untilNoneIsDue(pool, say);
    await ingest.stop();
  });
  say(`statements for ${counted} artists: ${[...count.byVerb].map(([verb, times]) => `${verb} ${times}`).join(', ')}`);
  return count;
}

function figuresOf(cycle: CycleFigures, count: StatementCount, { artists, counted }: typeof FULL): Figure[] {
  const { seconds, ingestCpuMs, postgresCpuMs, requests } = cycle;
  return [
    {
      name: 'artists per second in one process, over the whole cycle',
      value: artists / seconds,
      digits: 0,
      atLeast: 200,
    },
    { name: 'artists per second of change-ingest CPU time', value: (artists / ingestCpuMs) * 1000, digits: 0 },
    { name: 'CPU time of change-ingest per artist', value: ingestCpuMs / artists, unit: 'ms' },
    { name: 'CPU time of PostgreSQL per artist', value: postgresCpuMs / artists, unit: 'ms' },
    { name: 'requests to the platform per artist', value: requests / artists },
    { name: 'statements per artist', value: count.statements / counted, atMost: 1 },
    { name: 'UPDATE and INSERT statements per artist', value: written(count) / counted },
  ];
}

function written({ byVerb }: StatementCount): number {
  return ['UPDATE', 'INSERT', 'WITH'].reduce((sum, verb) => sum + (byVerb.get(verb) ?? 0), 0);
}

interface StatementCount {
  /** Includes BEGIN and COMMIT. Only counts statements on new connections. */
  readonly statements: number;
  readonly byVerb: ReadonlyMap<string, number>;
}

/** PostgreSQL logs statements on connections that are opened while `work` runs. */
async function countStatements(
  { directory, databaseUrl, pool }: WatchedPlatform,
  work: () => Promise<void>,
): Promise<StatementCount> {
  const log = path.join(directory, 'postgres.log');
  const database = new URL(databaseUrl).pathname.slice(1);
  await pool.query(`ALTER DATABASE ${database} SET log_statement = 'all'`);
  const { size } = await stat(log);
  await work();
  await pool.query(`ALTER DATABASE ${database} RESET log_statement`);
  const written = (await readFile(log)).subarray(size).toString('utf8');
  const byVerb = new Map<string, number>();
  for (const [, verb = ''] of written.matchAll(/LOG: {2}(?:statement|execute [^:]*): \s*(\w+)/g)) {
    byVerb.set(verb.toUpperCase(), (byVerb.get(verb.toUpperCase()) ?? 0) + 1);
  }
  return { statements: [...byVerb.values()].reduce((sum, count) => sum + count, 0), byVerb };
}
