import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type PostgresOptions, startPostgres } from '../embedded-postgres.js';
import { findRedis } from '../redis/find-redis.js';
import { type RedisOptions, startRedis } from '../redis-server.js';
import type { EmbeddedServer } from './embedded-server.js';
import { openReaper, type Reaper } from './reaper.js';

/** Where servers are kept that are thrown away: they end, and the directory goes, with this process, however it ends. */
export interface TemporaryServers {
  readonly directory: string;
  readonly reaper: Reaper;
  /** A PostgreSQL on a free port, kept. */
  postgres(options: Pick<PostgresOptions, 'database' | 'settings'>): Promise<EmbeddedServer>;
  /** A Redis on a free port, kept; `name` tells it from others in this directory. */
  redis(name: string, options?: Pick<RedisOptions, 'databases'>): Promise<EmbeddedServer>;
  /** Stopped by `stop`, all at once. */
  keep<Server extends { stop(): Promise<void> }>(server: Server): Server;
  stop(): Promise<void>;
}

/**
 * @param start starts servers in `directory`, and keeps each; what it had kept is stopped when it rejects.
 * @param prefix of the directory's name; a whole path unless the directory is to be where the system keeps temporary ones.
 */
export async function startTemporaryServers<Result>(
  prefix: string,
  start: (servers: TemporaryServers) => Promise<Result>,
): Promise<Result> {
  const reaper = openReaper();
  const directory = await mkdtemp(path.resolve(tmpdir(), prefix));
  reaper.watchDirectory(directory);
  const kept: { stop(): Promise<void> }[] = [];
  const servers: TemporaryServers = {
    directory,
    reaper,
    async postgres(options) {
      const place = path.join(directory, 'postgres');
      const password = randomBytes(16).toString('hex');
      return servers.keep(
        await startPostgres({ directory: place, logFile: `${place}.log`, password, reaper, ...options }),
      );
    },
    async redis(name, options) {
      const place = path.join(directory, name);
      const program = await findRedis((line) => process.stderr.write(`${line}\n`));
      return servers.keep(await startRedis({ program, directory: place, logFile: `${place}.log`, reaper, ...options }));
    },
    keep(server) {
      kept.push(server);
      return server;
    },
    async stop() {
      await Promise.all(kept.map((server) => server.stop()));
      await rm(directory, { recursive: true, force: true, maxRetries: 10 });
      await reaper.close();
    },
  };
  try {
    return await start(servers);
  } catch (error) {
    await servers.stop();
    throw error;
  }
}
