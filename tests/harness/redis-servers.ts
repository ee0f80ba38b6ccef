import type { EmbeddedServer } from '@artist-watch/local-stack/processes/embedded-server';
import { freePort } from '@artist-watch/local-stack/processes/free-port';
import { startTemporaryServers } from '@artist-watch/local-stack/processes/temporary-servers';
import { Redis } from 'ioredis';
import type { CertificateFiles } from './certificates.js';
import { until } from './until.js';

const slots = 16_384;
const formedWithinMs = 60_000;

export interface RedisServers {
  /** Each of one server, empty and kept in memory only. */
  readonly servers: readonly EmbeddedServer[];
  /** Where each is reached: over TLS when that was asked for, and then over nothing else. */
  readonly urls: readonly string[];
  /** As a kill does; `restart` of the server brings an empty one back on the same port. */
  kill(server: EmbeddedServer): void;
  stop(): Promise<void>;
}

/** Redis servers of a suite's own, for what the run's shared one cannot go through: its death, a cluster, or TLS. */
export async function startRedisServers(
  count: number,
  { inCluster = false, tls }: { readonly inCluster?: boolean; readonly tls?: CertificateFiles } = {},
): Promise<RedisServers> {
  return startTemporaryServers('artist-watch-redis-', async ({ redis, stop }) => {
    const servers: EmbeddedServer[] = [];
    for (let number = 0; number < count; number += 1) servers.push(await redis(`redis-${number}`, { inCluster }));
    const urls = await settle(servers, inCluster, tls);
    return { servers, urls, kill: ({ pid }) => process.kill(pid, 'SIGKILL'), stop };
  });
}

/** @returns where each is reached from now on. */
async function settle(servers: readonly EmbeddedServer[], inCluster: boolean, tls: CertificateFiles | undefined) {
  // A connection outlives the port on which it was opened.
  const nodes = servers.map((server) => new Redis(server.url));
  try {
    const ports = tls
      ? await Promise.all(nodes.map((node) => speakTlsOnly(node, tls, inCluster)))
      : servers.map(({ port }) => port);
    if (inCluster) await formCluster(nodes, ports);
    return ports.map((port) => `${tls ? 'rediss' : 'redis'}://127.0.0.1:${port}`);
  } finally {
    for (const node of nodes) node.disconnect();
  }
}

/** @returns its new port. */
async function speakTlsOnly(node: Redis, files: CertificateFiles, inCluster: boolean): Promise<number> {
  const port = await freePort();
  await node.call(
    ...['CONFIG', 'SET', 'tls-ca-cert-file', files.authority, 'tls-cert-file', files.certificate],
    ...['tls-key-file', files.key, 'tls-auth-clients', 'no', 'tls-port', String(port), 'port', '0'],
    ...(inCluster ? ['tls-cluster', 'yes'] : []),
  );
  // Read again only when this is set.
  if (inCluster) await node.config('SET', 'cluster-announce-tls-port', port);
  return port;
}

/** Every server a master, each with its part of the slots. */
async function formCluster(nodes: readonly Redis[], ports: readonly number[]): Promise<void> {
  const [first] = nodes;
  const part = Math.ceil(slots / nodes.length);
  for (const [index, node] of nodes.entries()) {
    await node.cluster('ADDSLOTSRANGE', index * part, Math.min(slots, (index + 1) * part) - 1);
    await node.cluster('SET-CONFIG-EPOCH', index + 1);
    const clusterPort = ((await node.config('GET', 'cluster-port')) as string[])[1] as string;
    // ioredis' types know no MEET with a port of the cluster's own.
    if (node !== first) await first?.call('CLUSTER', 'MEET', '127.0.0.1', ports[index] ?? 0, clusterPort);
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
}
