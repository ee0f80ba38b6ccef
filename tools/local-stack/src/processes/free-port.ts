import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';

const LOWEST_PORT = 10_240;
const attempts = 50;

/** Ports given out by this process, so that two servers that start at once never get the same one. */
const givenOut = new Set<number>();

/**
 * A TCP port on which nothing listens, below the kernel's ephemeral range where there is room.
 *
 * A killed server must come back on its port. A client that reconnects in the meantime from an ephemeral source port
 * can by chance get that very port and connect to itself (a TCP simultaneous open), and the server could then never
 * bind it again. Outside the ephemeral range this cannot happen, and no outgoing connection takes the port either.
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
  return portOfTheKernelsChoice();
}

/** Whether a listener could bind the port on every IPv4 address now. */
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

function portOfTheKernelsChoice(): Promise<number> {
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
