import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEEZER_BUDGET } from '@artist-watch/catalogue/budget/request-budget';
import type pg from 'pg';
import type { Bench, BenchOptions } from '../bench.js';
import { quantile } from '../measuring/statistics.js';
import type { MeasuredProcess } from '../processes/measured-process.js';
import type { Figure } from '../reporting/figure.js';
import { readAll } from './cycle.js';
import { onWatchedPlatform, polledSince, type WatchedPlatform, watchAll } from './watched-platform.js';

/** `seconds` is the real duration of each run that has many artists. */
const FULL = { changes: 30, artists: 200, seconds: 120 };
const QUICK: typeof FULL = { changes: 1, artists: 20, seconds: 3 };

const FEW_ARTISTS = 10;
const RELEASES = 30;
/** Simulated time runs this many times faster than real time. */
const SPEED = 10;
/** Each simulated artist represents this many real ones. */
const SCALE = 10;
const INTERVAL_S = (15 * 60) / SPEED;

/** @param budget requests per 5 real seconds. */
const atSpeed = (budget: number) => ({
  POLL_INTERVAL_FACTOR: String(1 / SPEED),
  CONFIRM_INTERVAL: `${600 / SPEED}s`,
  PLATFORM_BUDGET: String(budget),
  PLATFORM_BUDGET_WINDOW: '5s',
  POLL_CONCURRENCY: '16',
});

export const depthBench: Bench = {
  title: 'Detailed reads within the rest of the budget',
  method: `
One process of change-ingest polls the simulated platform within Deezer's budget (${DEEZER_BUDGET.limit} requests in 5 s), ten times faster than
real time: intervals are a tenth, the budget is ten times as large. All times below are those of the installation. First, 10
artists of 30 releases on Business (15 min): the ISRCs of tracks change in sequence, each on another release, and the time until
each change is suspected counts. Then 200 artists on Business with a tenth of the budget represent 2,000 with all of it: first
with the daily and weekly rotation alone, then with detailed reads. Counts are scaled to 2,000. The lateness of lists is the age
of the most overdue one, read every 10 s.`,
  async run(options) {
    const extent = options.quick ? QUICK : FULL;
    const few = await suspectedAfter(extent, options);
    const [without, withDetails] = await manyArtists(extent, options);
    return figuresOf(few, without, withDetails, extent);
  },
};

/** Returns how many minutes passed between each change and its suspicion. */
function suspectedAfter({ changes }: typeof FULL, { say }: BenchOptions): Promise<number[]> {
  return onWatchedPlatform({ artists: 1, watched: 0 }, async (platform) => {
    const { pool, control, startIngest } = platform;
    for (let n = 0; n < FEW_ARTISTS; n += 1) await control('/artists', 'POST', { releases: RELEASES });
    const { artists } = await control<{ artists: { id: string; name: string }[] }>('/artists');
    await watchAll(pool, artists.slice(-FEW_ARTISTS));
    await readAll(platform, say);
    await startIngest(atSpeed(DEEZER_BUDGET.limit * SPEED));
    await sleep(INTERVAL_S * 1_000);
    const tracks = await firstTracks(platform, artists.slice(-FEW_ARTISTS));
    say(`${tracks.length} releases; ISRCs change on ${changes}`);
    const changedAt = new Map<string, number>();
    for (let n = 0; n < changes; n += 1) {
      const track = tracks[Math.floor((n * tracks.length) / changes)] ?? '';
      await control(`/tracks/${track}/isrc`, 'POST', { isrc: `FRXXX26${String(n).padStart(5, '0')}` });
      changedAt.set(track, Date.now());
      await sleep((1.5 * INTERVAL_S * 1_000) / changes);
    }
    for (;;) {
      const { rows } = await pool.query<{ entity: string; at: Date }>(
        `SELECT entity_id AS entity, detected_at AS at FROM changes WHERE type = 'isrc_changed'`,
      );
      if (rows.length >= changedAt.size) {
        const minutes = rows.map(({ entity, at }) => ((at.getTime() - (changedAt.get(entity) ?? 0)) / 60_000) * SPEED);
        say(`minutes until suspected: ${minutes.map((value) => value.toFixed(1)).join(' ')}`);
        return minutes;
      }
      await sleep(250);
    }
  });
}

async function firstTracks({ control }: WatchedPlatform, artists: readonly { id: string }[]): Promise<string[]> {
  interface Tree {
    readonly artists: { readonly releases: { readonly tracks: { readonly id: string }[] }[] }[];
  }
  const trees = await Promise.all(artists.map(({ id }) => control<Tree>(`/state?artist=${id}`)));
  return trees.flatMap((tree) =>
    tree.artists.flatMap(({ releases }) => releases.flatMap(({ tracks }) => tracks[0]?.id ?? [])),
  );
}

interface Polled {
  /** Simulated seconds, sampled once per real second. */
  readonly overdue: readonly number[];
  readonly polls: number;
  readonly detailedReads: number;
  readonly releases: number;
  readonly requests: number;
}

function manyArtists({ artists, seconds }: typeof FULL, { say }: BenchOptions): Promise<[Polled, Polled]> {
  return onWatchedPlatform({ artists }, async (platform) => {
    await readAll(platform, say);
    const polled = async (detailedReadsAt: string) => {
      await platform.pool.query(
        `UPDATE artists SET deep_look_at = $1, full_look_at = $1, next_poll_at = now() + random() * $2 * interval '1 second'`,
        [detailedReadsAt, INTERVAL_S],
      );
      const ingest = await platform.startIngest(atSpeed(DEEZER_BUDGET.limit));
      const result = await pollFor(platform, ingest, seconds);
      await ingest.stop();
      const { overdue, ...counts } = result;
      say(`detailed reads at ${detailedReadsAt}: ${JSON.stringify(counts)}, overdue at most ${quantile(overdue, 1)} s`);
      return result;
    };
    return [await polled('infinity'), await polled('epoch')];
  });
}

async function pollFor(platform: WatchedPlatform, { logFile }: MeasuredProcess, seconds: number): Promise<Polled> {
  await platform.requests();
  const { size } = await stat(logFile);
  const overdue: number[] = [];
  const endMs = performance.now() + seconds * 1_000;
  while (performance.now() < endMs) {
    overdue.push((await overdueSeconds(platform.pool)) * SPEED);
    await sleep(1_000);
  }
  const requests = await platform.requests();
  const readings = await polledSince(logFile, size);
  const detailed = readings.filter(({ look }) => look !== undefined);
  return {
    overdue,
    polls: readings.length - detailed.length,
    detailedReads: detailed.length,
    releases: readings.reduce((sum, { releasesReadClosely }) => sum + releasesReadClosely, 0),
    requests,
  };
}

async function overdueSeconds(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `SELECT greatest(0, extract(epoch FROM now() - min(next_poll_at)))::float8 AS seconds
       FROM artists WHERE next_poll_at IS NOT NULL AND NOT learning`,
  );
  return rows[0]?.seconds ?? 0;
}

function figuresOf(few: readonly number[], without: Polled, withDetails: Polled, { seconds }: typeof FULL): Figure[] {
  const hours = (seconds * SPEED) / 3600 / SCALE;
  const asked = ({ requests }: Polled) => (requests * SCALE) / seconds / SPEED;
  const after = '10 artists with 30 releases each: time until a changed ISRC is suspected';
  const [alone, detailed] = ['2,000 artists, rotation alone', '2,000 artists, with detailed reads'];
  const overdue = 'delay of the most overdue artist, 95th percentile';
  const lateness = ({ overdue: sample }: Polled) => ({ value: quantile(sample, 0.95), unit: 's', digits: 1 });
  const polls = withDetails.polls / without.polls;
  return [
    { name: `${after}, median`, value: quantile(few, 0.5), unit: 'min', digits: 1 },
    { name: `${after}, latest`, value: quantile(few, 1), unit: 'min', digits: 1, atMost: 15 },
    { name: `${alone}: ${overdue}`, ...lateness(without) },
    { name: `${detailed}: ${overdue}`, ...lateness(withDetails), atMost: 60 },
    { name: `${alone}: polls per hour`, value: without.polls / hours, unit: '', digits: 0 },
    { name: '2,000 artists: polls with detailed reads relative to polls without them', value: polls, atLeast: 0.98 },
    { name: `${alone}: releases read in detail per hour`, value: without.releases / hours, unit: '', digits: 0 },
    { name: `${detailed}: releases read in detail per hour`, value: withDetails.releases / hours, unit: '', digits: 0 },
    { name: `${alone}: requests per second`, value: asked(without), unit: '', digits: 1 },
    { name: `${detailed}: requests per second`, value: asked(withDetails), unit: '', digits: 1 },
  ];
}
