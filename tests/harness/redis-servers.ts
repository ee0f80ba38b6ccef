import type { EmbeddedServer } from '@artist-watch/local-stack/processes/embedded-server';
import { freePort } from '@artist-watch/local-stack/processes/free-port';
import { startTemporaryServers } from '@artist-watch/local-stack/processes/temporary-servers';
import { Redis } from 'ioredis';
import type { CertificateFiles } from './certificates.js';

export interface RedisServers {
  /** Each of one server, empty and kept in memory only. */
  readonly servers: readonly EmbeddedServer[];
  /** Where each is reached: over TLS when that was asked for, and then over nothing else. */
  readonly urls: readonly string[];
  /** As a kill does; `restart` of the server brings an empty one back on the same port. */
  kill(server: EmbeddedServer): void;
  stop(): Promise<void>;
}

/** Redis servers of a suite's own, for what the run's shared one cannot go through: its death, or TLS. */
export async function startRedisServers(
  count: number,
  { tls }: { readonly tls?: CertificateFiles } = {},
): Promise<RedisServers> {
  return startTemporaryServers('artist-watch-redis-', async ({ redis, stop }) => {
    const servers: EmbeddedServer[] = [];
    for (let number = 0; number < count; number += 1) servers.push(await redis(`redis-${number}`));
    const urls = await settle(servers, tls);
    return { servers, urls, kill: ({ pid }) => process.kill(pid, 'SIGKILL'), stop };
  });
}

/** @returns where each is reached from now on. */
async function settle(servers: readonly EmbeddedServer[], tls: CertificateFiles | undefined) {
  // A connection outlives the port on which it was opened.
  const nodes = servers.map((server) => new Redis(server.url));
  try {
    const ports = tls
      ? await Promise.all(nodes.map((node) => speakTlsOnly(node, tls)))
      : servers.map(({ port }) => port);
    return ports.map((port) => `${tls ? 'rediss' : 'redis'}://127.0.0.1:${port}`);
  } finally {
    for (const node of nodes) node.disconnect();
  }
}

/** @returns its new port. */
async function speakTlsOnly(node: Redis, files: CertificateFiles): Promise<number> {
  const port = await freePort();
  await node.call(
    ...['CONFIG', 'SET', 'tls-ca-cert-file', files.authority, 'tls-cert-file', files.certificate],
    ...['tls-key-file', files.key, 'tls-auth-clients', 'no', 'tls-port', String(port), 'port', '0'],
  );
  return port;
}
