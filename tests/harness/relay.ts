import { createConnection, createServer, type Socket } from 'node:net';
import { serve } from '@artist-watch/local-stack/processes/serve';

/** Simulates a killed, frozen or restarted server without affecting other suites. */
export interface Relay {
  readonly url: string;
  /** A killed process closes every connection and rejects new ones. */
  cut(): void;
  /** A stopped process keeps and accepts connections, but forwards nothing. */
  freeze(): void;
  /** A machine that disappears forwards nothing on open connections. New connections work. */
  strand(): void;
  restore(): void;
  /** A changed DNS name leads new clients to another server, and open connections stay. */
  leadTo(serverUrl: string): void;
  close(): Promise<void>;
}

/** Receives all forwarded bytes of one connection. */
export interface ConnectionObserver {
  fromClient(bytes: Buffer): void;
  fromServer(bytes: Buffer): void;
}

/** @param observe called for each connection. */
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
