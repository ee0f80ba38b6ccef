import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openReaper, type Reaper } from './reaper.js';

/** Where servers are kept that are thrown away: they end, and the directory goes, with this process, however it ends. */
export interface TemporaryServers {
  readonly directory: string;
  readonly reaper: Reaper;
  /** Stopped by `stop`, all at once. */
  keep<Server extends { stop(): Promise<void> }>(server: Server): Server;
  stop(): Promise<void>;
}

/**
 * @param start starts servers in `directory`, and keeps each; what it had kept is stopped when it rejects.
 * @param prefix of the directory's name.
 */
export async function startTemporaryServers<Result>(
  prefix: string,
  start: (servers: TemporaryServers) => Promise<Result>,
): Promise<Result> {
  const reaper = openReaper();
  const directory = await mkdtemp(path.join(tmpdir(), prefix));
  reaper.watchDirectory(directory);
  const kept: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    await Promise.all(kept.map((server) => server.stop()));
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
    await reaper.close();
  };
  const keep = <Server extends { stop(): Promise<void> }>(server: Server) => {
    kept.push(server);
    return server;
  };
  try {
    return await start({ directory, reaper, keep, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}
