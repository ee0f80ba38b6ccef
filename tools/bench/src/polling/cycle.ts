import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { WatchedPlatform } from './watched-platform.js';

const CHECK_EVERY_MS = 250;
/** This interval is much longer than a polling cycle, and much shorter than the plan's poll interval. */
const SOON = `interval '1 minute'`;

/** Creates baselines that include every track. No request limit applies. */
export async function readAll({ pool, startIngest }: WatchedPlatform, say: (line: string) => void): Promise<void> {
  const ingest = await startIngest();
  const readMs = await untilNoneIsDue(pool, say);
  say(`first poll of every artist, with all tracks: ${(readMs / 1000).toFixed(1)} s`);
  await ingest.stop();
  await pool.query('VACUUM ANALYZE');
}

export async function makeDue(pool: pg.Pool, artists: number): Promise<void> {
  await pool.query(
    'UPDATE artists SET next_poll_at = now() WHERE id IN (SELECT id FROM artists ORDER BY id LIMIT $1)',
    [artists],
  );
}

/** Returns the elapsed milliseconds. */
export async function untilNoneIsDue(pool: pg.Pool, say: (line: string) => void): Promise<number> {
  const beganAtMs = performance.now();
  let reportedAtMs = beganAtMs;
  for (;;) {
    const { rows } = await pool.query<{ due: number }>(
      `SELECT count(*)::int AS due FROM artists WHERE next_poll_at < now() + ${SOON}`,
    );
    const [{ due } = { due: 0 }] = rows;
    const nowMs = performance.now();
    if (due === 0) return nowMs - beganAtMs;
    if (nowMs - reportedAtMs > 30_000) {
      reportedAtMs = nowMs;
      say(`  ${due} artists are still due after ${Math.round((nowMs - beganAtMs) / 1000)} s`);
    }
    await sleep(CHECK_EVERY_MS);
  }
}
