import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EmbeddedServer } from '@artist-watch/local-stack/processes/embedded-server';
import { openReaper } from '@artist-watch/local-stack/processes/reaper';
import { findRedis } from '@artist-watch/local-stack/redis/find-redis';
import { startRedis } from '@artist-watch/local-stack/redis-server';
import { Redis } from 'ioredis';
import { until } from './until.js';

const slots = 16_384;
const formedWithinMs = 60_000;

export interface RedisServers {
  /** Each of one server, empty and kept in memory only. */
  readonly servers: readonly EmbeddedServer[];
  /** As a kill does; `restart` of the server brings an empty one back on the same port. */
  kill(server: EmbeddedServer): void;
  stop(): Promise<void>;
}

/** Redis servers of a suite's own, for what the run's shared one cannot go through: its death, or a cluster. */
export async function startRedisServers(
  count: number,
  { inCluster = false }: { readonly inCluster?: boolean } = {},
): Promise<RedisServers> {
  const reaper = openReaper();
  const directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-redis-'));
  reaper.watchDirectory(directory);
  const servers: EmbeddedServer[] = [];
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await rm(directory, { recursive: true, force: true });
    await reaper.close();
  };
  try {
    const program = await findRedis(() => undefined);
    for (let number = 0; number < count; number += 1) {
      const place = path.join(directory, String(number));
      servers.push(await startRedis({ program, directory: place, logFile: `${place}.log`, inCluster, reaper }));
    }
    if (inCluster) await formCluster(servers);
  } catch (error) {
    await stop();
    throw error;
  }
  return { servers, kill: ({ pid }) => process.kill(pid, 'SIGKILL'), stop };
}

/** Every server a master, each with its part of the slots. */
async function formCluster(servers: readonly EmbeddedServer[]): Promise<void> {
  const nodes = servers.map((server) => new Redis(server.url));
  try {
    const [first] = nodes as [Redis];
    const part = Math.ceil(slots / nodes.length);
    for (const [index, node] of nodes.entries()) {
      await node.cluster('ADDSLOTSRANGE', index * part, Math.min(slots, (index + 1) * part) - 1);
      await node.cluster('SET-CONFIG-EPOCH', index + 1);
      const clusterPort = ((await node.config('GET', 'cluster-port')) as string[])[1] as string;
      // ioredis' types know no MEET with a port of the cluster's own.
      if (node !== first) await first.call('CLUSTER', 'MEET', '127.0.0.1', servers[index]?.port ?? 0, clusterPort);
    }
    const isFormed = async (node: Redis) => {
      const info = (await node.cluster('INFO')) as string;
      return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`);
    };
    await until(
      'the cluster to be formed',
      async () => (await Promise.all(nodes.map(isFormed))).every(Boolean),
      formedWithinMs,
    );
  } finally {
    for (const node of nodes) node.disconnect();
  }
}
