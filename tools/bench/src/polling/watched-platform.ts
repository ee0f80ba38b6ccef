import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { type BenchServers, onServers, type Settings } from '../processes/bench-servers.js';
import type { MeasuredProcess, MeasuredProgram } from '../processes/measured-process.js';

/** The platform has no request limit, and all artists are watched on the fastest plan. */
export interface WatchedPlatform extends BenchServers {
  readonly pool: pg.Pool;
  startIngest(settings?: Settings, more?: Partial<MeasuredProgram>): Promise<MeasuredProcess>;
  control<Answer>(path: string, method?: string, body?: unknown): Promise<Answer>;
  /** Number of platform requests since the last call. */
  requests(): Promise<number>;
}

const postgresSettings = { fsync: 'off', full_page_writes: 'off', shared_buffers: '512MB', max_wal_size: '8GB' };

export const UNLIMITED = { PLATFORM_BUDGET: '10000000', PLATFORM_BUDGET_WINDOW: '1s', POLL_CONCURRENCY: '64' };

export function onWatchedPlatform<Result>(
  {
    artists,
    watched = artists,
    profileDirectory,
  }: { readonly artists: number; readonly watched?: number; readonly profileDirectory?: string | undefined },
  work: (platform: WatchedPlatform) => Promise<Result>,
): Promise<Result> {
  return onServers({ postgresSettings, profileDirectory }, async (servers) => {
    const { databaseUrl, redisUrl } = servers;
    const pool = servers.openPool(databaseUrl, 2);
    const simulator = await servers.start({
      name: 'platform-simulator',
      main: 'tools/platform-simulator/dist/main.js',
      env: { PLATFORM: 'deezer', SIMULATOR_PORT: '0', SIMULATOR_ARTISTS: String(artists) },
      isBeside: true,
    });
    const { platform, control: controlUrl } = simulator.addresses;
    const control: WatchedPlatform['control'] = (path, method, body) => ask(`${controlUrl}${path}`, method, body);
    await control('/quota', 'PUT', { unlimited: true });
    const listed = await control<{ artists: { id: string; name: string }[] }>('/artists');
    await watchAll(pool, listed.artists.slice(0, watched));
    const env = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      INGEST_TOKEN: 'the-token-of-ingest-in-this-bench',
      INGEST_PORT: '0',
      PLATFORM: 'deezer',
      PLATFORM_URL: String(platform),
    };
    const main = 'services/change-ingest/dist/main.js';
    return work({
      ...servers,
      pool,
      control,
      startIngest: (settings = UNLIMITED, more) =>
        servers.start({ name: 'change-ingest', main, env: { ...env, ...settings }, ...more }),
      async requests() {
        const { total } = await control<{ total: number }>('/requests');
        await control('/requests', 'DELETE');
        return total;
      },
    });
  });
}

/** A single account watches all artists, because more accounts would make no difference. */
export async function watchAll(pool: pg.Pool, artists: readonly { id: string; name: string }[]): Promise<void> {
  await pool.query(
    `INSERT INTO accounts (id, name, plan, created_at) VALUES ('acc_bench', 'bench', 'business', now())
     ON CONFLICT DO NOTHING`,
  );
  await pool.query(
    `INSERT INTO artists (id, platform, platform_id, name, created_at, next_poll_at)
     SELECT new_id('art', now()), 'deezer', a.id, a.name, now(), now() FROM unnest($1::text[], $2::text[]) AS a (id, name)`,
    [artists.map(({ id }) => id), artists.map(({ name }) => name)],
  );
  await pool.query(
    `INSERT INTO watches (id, account_id, artist_id, created_at)
     SELECT new_id('wat', now()), 'acc_bench', a.id, now() FROM artists a
      WHERE NOT EXISTS (SELECT FROM watches w WHERE w.artist_id = a.id)`,
  );
  await pool.query('ANALYZE');
}

export interface PolledLine {
  readonly artistId: string;
  readonly time: string;
  /** Only set for detailed reads. */
  readonly look?: string;
  readonly releasesReadClosely: number;
}

/** @param from offset into the log file. */
export async function polledSince(logFile: string, from: number): Promise<PolledLine[]> {
  const lines = (await readFile(logFile)).subarray(from).toString('utf8').split('\n');
  return lines.filter((line) => line.includes('"artist.polled"')).map((line) => JSON.parse(line));
}

async function ask<Answer>(url: string, method = 'GET', body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}
