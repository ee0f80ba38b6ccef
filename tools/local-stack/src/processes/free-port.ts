import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';

const LOWEST_PORT = 10_240;
const attempts = 50;

/** Ports already handed out, so that two servers starting at the same time don't get the same one. */
const givenOut = new Set<number>();

/**
 * Prefers ports below the ephemeral range. If a server with an ephemeral port is killed, one of its clients could get
 * that port as its source port, connect to itself (a TCP simultaneous open), and block the server's restart.
 */
export async function freePort(): Promise<number> {
  const end = await lowestEphemeralPort();
  for (let attempt = 0; attempt < attempts && end - LOWEST_PORT > 1_000; attempt += 1) {
    const port = randomInt(LOWEST_PORT, end);
    if (!givenOut.has(port) && (await isFree(port))) {
      givenOut.add(port);
      return port;
    }
  }
  return anyFreePort();
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '0.0.0.0' }, () => server.close(() => resolve(true)));
  });
}

async function lowestEphemeralPort(): Promise<number> {
  try {
    const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
    return Number.parseInt(range, 10);
  } catch {
    return 32_768;
  }
}

function anyFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port: 0, host: '0.0.0.0' }, () => {
      const address = server.address();
      const port = address !== null && typeof address === 'object' ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
