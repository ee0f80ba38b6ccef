import path from 'node:path';
import { reach } from '@artist-watch/runtime/settings/start-failure';
import pg from 'pg';
import { startPostgres } from '../embedded-postgres.js';
import type { EmbeddedServer } from '../processes/embedded-server.js';
import type { Reaper } from '../processes/reaper.js';
import { findRedis } from '../redis/find-redis.js';
import { givenRedis } from '../redis/given-redis.js';
import { startRedis } from '../redis-server.js';
import type { StackDirectory } from './directory.js';
import type { StackSecrets } from './secrets.js';

export interface DataServer {
  readonly url: string;
  readonly embedded: EmbeddedServer | undefined;
  release(): Promise<void>;
}

export interface DataServerPlace {
  readonly directory: StackDirectory;
  readonly reaper: Reaper;
  readonly report: (line: string) => void;
}

/**
 * Uses `DATABASE_URL` if it is set.
 * @throws StartError if the external server is unreachable.
 */
export async function openPostgres(
  given: string | undefined,
  secrets: StackSecrets,
  { directory, reaper }: DataServerPlace,
): Promise<DataServer> {
  if (given) {
    await reachDatabase(given);
    return { url: given, embedded: undefined, release: async () => undefined };
  }
  const server = await startPostgres({
    directory: path.join(directory.path, 'postgres'),
    password: secrets.databasePassword,
    logFile: path.join(directory.logs, 'postgres.log'),
    database: 'artist_watch',
    reaper,
  });
  return { url: server.url, embedded: server, release: () => server.stop() };
}

export async function openRedis(given: string | undefined, place: DataServerPlace): Promise<DataServer> {
  if (given) {
    const running = await givenRedis(given);
    if (running) return { url: running.url, embedded: undefined, release: running.release };
    place.report('Redis does not respond at REDIS_URL. Starting one.');
  }
  const server = await startRedis({
    program: await findRedis(place.report),
    directory: path.join(place.directory.path, 'redis'),
    logFile: path.join(place.directory.logs, 'redis.log'),
    reaper: place.reaper,
  });
  return { url: server.url, embedded: server, release: () => server.stop() };
}

async function reachDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await reach({ what: 'PostgreSQL', setting: 'DATABASE_URL', url }, () => client.connect());
  } finally {
    await client.end().catch(() => undefined);
  }
}
