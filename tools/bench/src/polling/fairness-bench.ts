import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Bench, BenchOptions } from '../bench.js';
import { quantile } from '../measuring/statistics.js';
import type { MeasuredProcess } from '../processes/measured-process.js';
import type { Figure } from '../reporting/figure.js';
import { readAll } from './cycle.js';
import { onWatchedPlatform, polledSince, type WatchedPlatform } from './watched-platform.js';

/**
 * Other accounts are already watching the `known` artists. One account adds a `crowd` of artists in one step, then each
 * of the `probes` accounts adds one artist.
 */
const FULL = { known: 80, crowd: 500, probes: 20 };
const QUICK: typeof FULL = { known: 4, crowd: 10, probes: 2 };
const PROBE_EVERY_MS = 3_000;
const UNKNOWN_IDS = 9_000_000_000;

interface Delays {
  /** Seconds from adding an artist to its first poll. */
  readonly first: readonly number[];
  /** How late the polls of other accounts' artists are, in seconds. */
  readonly usual: readonly number[];
}

export const fairnessBench: Bench = {
  title: "The effect of one account's new artists on other accounts",
  method: `
One process of change-ingest polls a simulated platform with Deezer's documented limit (50 requests in 5 s) and production settings,
which use at most 34. 80 artists of one account are due for their regular poll, evenly spread, so that part of the budget is left.
Every 3 s another account on Free adds one artist that is new to the installation. This runs once alone, and once after an account
on Business added 500 new artists, a fifth of them unknown to the platform: about an hour of the whole budget. Delays count from the
watch, or from the due time of a poll, to the end of the poll.`,
  run(options) {
    const extent = options.quick ? QUICK : FULL;
    const artists = extent.known + extent.crowd + 2 * extent.probes;
    return onWatchedPlatform({ artists, watched: extent.known }, async (platform) =>
      figuresOf(...(await measure(platform, extent, options))),
    );
  },
};

async function measure(
  platform: WatchedPlatform,
  extent: typeof FULL,
  { say }: BenchOptions,
): Promise<[Delays, Delays]> {
  const { pool, control, startIngest } = platform;
  const { artists } = await control<{ artists: { id: string }[] }>('/artists');
  const fresh = artists.map(({ id }) => id).slice(extent.known);
  await readAll(platform, say);
  await control('/quota', 'PUT', { requests: 50, windowMs: 5_000 });
  const ingest = await startIngest({});
  const alone = await probe(pool, ingest, fresh.splice(0, extent.probes), 'alone');
  say(`alone: ${JSON.stringify(alone)}`);
  const crowd = fresh.splice(0, extent.crowd);
  const known = crowd.map((id, n) => (n % 5 === 0 ? String(UNKNOWN_IDS + n) : id));
  await watch(pool, 'acc_crowd', 'business', known);
  const beside = await probe(pool, ingest, fresh.splice(0, extent.probes), 'beside');
  say(`with new artists of another account: ${JSON.stringify(beside)}`);
  const { rows } = await pool.query(
    `SELECT count(*) FILTER (WHERE last_polled_at IS NULL)::int AS "neverRead", count(*) FILTER (WHERE learning)::int AS learning
       FROM artists JOIN watches ON artist_id = artists.id WHERE account_id = 'acc_crowd'`,
  );
  say(`new artists of the other account, after the run: ${JSON.stringify(rows[0])}`);
  await ingest.stop();
  return [alone, beside];
}

async function probe(
  pool: pg.Pool,
  { logFile }: MeasuredProcess,
  artists: readonly string[],
  name: string,
): Promise<Delays> {
  const { size } = await stat(logFile);
  const durationMs = artists.length * PROBE_EVERY_MS;
  const { rows: due } = await pool.query<{ id: string; due: Date }>(
    `UPDATE artists SET next_poll_at = now() + random() * $1 * interval '1 millisecond'
      WHERE id IN (SELECT artist_id FROM watches WHERE account_id = 'acc_bench')
     RETURNING id, next_poll_at AS due`,
    [durationMs],
  );
  for (const [n, id] of artists.entries()) {
    await watch(pool, `acc_${name}_${n}`, 'free', [id]);
    await sleep(PROBE_EVERY_MS);
  }
  const first = await untilAll(async () => {
    const { rows } = await pool.query<{ seconds: number | null }>(
      `SELECT extract(epoch FROM last_complete_at - created_at)::float8 AS seconds
         FROM watches WHERE account_id LIKE $1`,
      [`acc_${name}_%`],
    );
    return rows.map(({ seconds }) => seconds);
  });
  const usual = await untilAll(async () => {
    const polls = await pollsSince(logFile, size);
    return due.map((artist) => {
      const readMs = polls.get(artist.id)?.find((atMs) => atMs >= artist.due.getTime());
      return readMs === undefined ? null : (readMs - artist.due.getTime()) / 1_000;
    });
  });
  return { first, usual };
}

async function pollsSince(logFile: string, offset: number): Promise<ReadonlyMap<string, number[]>> {
  const polls = new Map<string, number[]>();
  for (const { artistId, time, look } of await polledSince(logFile, offset)) {
    if (look === undefined) polls.set(artistId, [...(polls.get(artistId) ?? []), Date.parse(time)]);
  }
  return polls;
}

async function untilAll(read: () => Promise<readonly (number | null)[]>): Promise<number[]> {
  for (;;) {
    const values = await read();
    const known = values.filter((value) => value !== null);
    if (known.length === values.length) return known;
    await sleep(250);
  }
}

async function watch(pool: pg.Pool, accountId: string, plan: string, platformIds: readonly string[]): Promise<void> {
  await pool.query('INSERT INTO accounts (id, name, plan, created_at) VALUES ($1, $1, $2, now())', [accountId, plan]);
  await pool.query(
    `WITH artist AS (
       INSERT INTO artists (id, platform, platform_id, name, created_at, next_poll_at)
       SELECT 'art_' || md5(id), 'deezer', id, id, now(), now() FROM unnest($2::text[]) AS id RETURNING id)
     INSERT INTO watches (id, account_id, artist_id, created_at) SELECT 'wat_' || id, $1, id, now() FROM artist`,
    [accountId, platformIds],
  );
}

function figuresOf(alone: Delays, beside: Delays): Figure[] {
  const figure = (name: string, sample: readonly number[], share: number, atMost?: number): Figure => ({
    name,
    value: quantile(sample, share),
    unit: 's',
    atMost,
  });
  return [
    figure('first poll, without 500 new artists in another account: median', alone.first, 0.5),
    figure('first poll, without 500 new artists in another account: latest', alone.first, 1),
    figure('first poll, with 500 new artists in another account: median', beside.first, 0.5, 3),
    figure('first poll, with 500 new artists in another account: latest', beside.first, 1, 5),
    figure('delay of regular polls, without 500 new artists in another account: 95th percentile', alone.usual, 0.95),
    figure('delay of regular polls, with 500 new artists in another account: 95th percentile', beside.usual, 0.95, 5),
  ];
}
