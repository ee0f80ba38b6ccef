import type { EmbeddedServer } from '@artist-watch/local-stack/processes/embedded-server';
import { freePort } from '@artist-watch/local-stack/processes/free-port';
import { startTemporaryServers } from '@artist-watch/local-stack/processes/temporary-servers';
import { Redis } from 'ioredis';
import type { CertificateFiles } from './certificates.js';

export interface RedisServers {
  /** The servers start empty and store nothing on disk. */
  readonly servers: readonly EmbeddedServer[];
  /** With `tls`, the servers accept only TLS connections. */
  readonly urls: readonly string[];
  /** `restart` starts an empty server on the same port. */
  kill(server: EmbeddedServer): void;
  stop(): Promise<void>;
}

/** Tests that need TLS or kill Redis cannot use the shared one. */
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

async function settle(servers: readonly EmbeddedServer[], tls: CertificateFiles | undefined) {
  // An open connection continues to work after its port is closed.
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

async function speakTlsOnly(node: Redis, files: CertificateFiles): Promise<number> {
  const port = await freePort();
  await node.call(
    ...['CONFIG', 'SET', 'tls-ca-cert-file', files.authority, 'tls-cert-file', files.certificate],
    ...['tls-key-file', files.key, 'tls-auth-clients', 'no', 'tls-port', String(port), 'port', '0'],
  );
  return port;
}
