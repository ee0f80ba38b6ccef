import path from 'node:path';
import type pg from 'pg';
import { inCheckout } from '../checkout.js';
import { type DataServers, openPool, startDataServers } from '../processes/data-servers.js';
import { type MeasuredProcess, startMeasured } from '../processes/measured-process.js';

/** A simulated platform without a request limit, every artist of which is watched by accounts on the fastest plan. */
export interface WatchedPlatform {
  readonly data: DataServers;
  readonly pool: pg.Pool;
  /** Starts change-ingest; it polls whatever is due at once. Without a limit of requests, unless settings say so. */
  startIngest(options?: {
    readonly profileDirectory?: string | undefined;
    readonly settings?: NodeJS.ProcessEnv;
  }): Promise<MeasuredProcess>;
  /** Asks the simulator to change something, or what is there. */
  control<Answer>(path: string, method?: string, body?: unknown): Promise<Answer>;
  /** How often the platform was asked since the last time. */
  requests(): Promise<number>;
  stop(): Promise<void>;
}

const settings = { fsync: 'off', full_page_writes: 'off', shared_buffers: '512MB', max_wal_size: '8GB' };

/** @param watched only so many of the artists; all unless given. */
export async function watchPlatform(artists: number, watched = artists): Promise<WatchedPlatform> {
  const data = await startDataServers(settings);
  const stops: Array<() => Promise<unknown>> = [() => data.stop()];
  const stop = async () => {
    for (let last = stops.pop(); last; last = stops.pop()) await last();
  };
  try {
    const pool = openPool(data.databaseUrl, 2);
    stops.push(() => pool.end());
    const simulator = await startMeasured({
      name: 'platform-simulator',
      main: inCheckout('tools/platform-simulator/dist/main.js'),
      env: { ...process.env, PLATFORM: 'deezer', SIMULATOR_PORT: '0', SIMULATOR_ARTISTS: String(artists) },
      logFile: path.join(data.directory, 'platform-simulator.log'),
      isBeside: true,
    });
    stops.push(() => simulator.stop());
    const { platform, control: controlUrl } = simulator.addresses;
    const control = <Answer>(path: string, method = 'GET', body?: unknown) =>
      ask<Answer>(`${controlUrl}${path}`, method, body);
    await control('/quota', 'PUT', { unlimited: true });
    const listed = await control<{ artists: { id: string; name: string }[] }>('/artists');
    await watchAll(pool, listed.artists.slice(0, watched));

    return {
      data,
      pool,
      control,
      async startIngest({ profileDirectory, settings: given } = {}) {
        const ingest = await startMeasured({
          name: 'change-ingest',
          main: inCheckout('services/change-ingest/dist/main.js'),
          env: { ...process.env, ...ingestSettings(data, String(platform)), ...given },
          logFile: path.join(data.directory, 'change-ingest.log'),
          profileDirectory,
        });
        stops.push(() => ingest.stop());
        return ingest;
      },
      async requests() {
        const { total } = await control<{ total: number }>('/requests');
        await control('/requests', 'DELETE');
        return total;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function ingestSettings(data: DataServers, platformUrl: string): NodeJS.ProcessEnv {
  return {
    NODE_ENV: 'production',
    DATABASE_URL: data.databaseUrl,
    REDIS_URL: data.redisUrl,
    INGEST_TOKEN: 'the-token-of-ingest-in-this-bench',
    INGEST_PORT: '0',
    OPS_PORT: '0',
    LISTEN_HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    PLATFORM: 'deezer',
    PLATFORM_URL: platformUrl,
    PLATFORM_BUDGET: '10000000',
    PLATFORM_BUDGET_WINDOW: '1s',
    POLL_CONCURRENCY: '64',
  };
}

/** As many accounts as the artist limit of the plan asks for matter little; one that watches all is as good. */
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

async function ask<Answer>(url: string, method = 'GET', body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}
