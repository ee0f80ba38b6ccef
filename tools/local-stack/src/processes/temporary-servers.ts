import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type PostgresOptions, startPostgres } from '../embedded-postgres.js';
import { findRedis } from '../redis/find-redis.js';
import { type RedisOptions, startRedis } from '../redis-server.js';
import type { EmbeddedServer } from './embedded-server.js';
import { openReaper, type Reaper } from './reaper.js';

/** When this process exits, the servers are stopped and the directory is deleted, even if the process is killed. */
export interface TemporaryServers {
  readonly directory: string;
  readonly reaper: Reaper;
  /** On a free port. */
  postgres(options: Pick<PostgresOptions, 'database' | 'settings'>): Promise<EmbeddedServer>;
  redis(name: string, options?: Pick<RedisOptions, 'databases'>): Promise<EmbeddedServer>;
  keep<Server extends { stop(): Promise<void> }>(server: Server): Server;
  stop(): Promise<void>;
}

/**
 * @param prefix of a temporary directory, or an absolute path prefix.
 * @param start if it rejects, the servers that it has already started are stopped.
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
      const postgresDirectory = path.join(directory, 'postgres');
      const password = randomBytes(16).toString('hex');
      return servers.keep(
        await startPostgres({
          directory: postgresDirectory,
          logFile: `${postgresDirectory}.log`,
          password,
          reaper,
          ...options,
        }),
      );
    },
    async redis(name, options) {
      const redisDirectory = path.join(directory, name);
      const program = await findRedis((line) => process.stderr.write(`${line}\n`));
      return servers.keep(
        await startRedis({ program, directory: redisDirectory, logFile: `${redisDirectory}.log`, reaper, ...options }),
      );
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
