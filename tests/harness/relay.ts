import { createConnection, createServer, type Socket } from 'node:net';
import { serve } from '@artist-watch/local-stack/processes/serve';

/**
 * A way to a server that can be taken away: what happens to a service when PostgreSQL or Redis is killed, frozen or
 * comes back, without harm to the other suites on the same server.
 */
export interface Relay {
  /** The address of the server, with the relay's host and port in place of its own. */
  readonly url: string;
  /** Ends every connection and refuses new ones, like a process that was killed. */
  cut(): void;
  /** Keeps every connection, takes new ones, and passes nothing on, like a process that was stopped. */
  freeze(): void;
  /** Keeps every connection that is open and passes nothing on over it, like a machine that is gone without a word. */
  strand(): void;
  /** Passes everything on again. */
  restore(): void;
  /** Leads new connections to another server, as a name does that was given to it; those that are open stay. */
  leadTo(serverUrl: string): void;
  close(): Promise<void>;
}

/** Called with all bytes of one connection as they are passed on. */
export interface ConnectionObserver {
  fromClient(bytes: Buffer): void;
  fromServer(bytes: Buffer): void;
}

/** @param observe asked for an observer of each connection. */
export async function startRelay(serverUrl: string, observe?: () => ConnectionObserver): Promise<Relay> {
  let target = new URL(serverUrl);
  let state: 'open' | 'cut' | 'frozen' = 'open';
  const pairs = new Set<readonly [Socket, Socket]>();

  const server = createServer((inbound) => {
    if (state === 'cut') {
      inbound.destroy();
      return;
    }
    const outbound = createConnection({ host: target.hostname, port: Number(target.port) });
    const pair = [inbound, outbound] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      inbound.destroy();
      outbound.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    const observer = observe?.();
    inbound.on('data', (data) => {
      observer?.fromClient(data);
      outbound.write(data);
    });
    outbound.on('data', (data) => {
      observer?.fromServer(data);
      inbound.write(data);
    });
    if (state === 'frozen') pause(pair);
  });
  const { port, close } = await serve(server);
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    cut() {
      state = 'cut';
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
    freeze() {
      state = 'frozen';
      for (const pair of pairs) pause(pair);
    },
    strand() {
      for (const pair of pairs) pause(pair);
    },
    restore() {
      state = 'open';
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    leadTo(otherUrl) {
      target = new URL(otherUrl);
    },
    close,
  };
}

function pause(pair: readonly [Socket, Socket]): void {
  for (const socket of pair) socket.pause();
}
