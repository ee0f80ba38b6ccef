import { createServer, type Socket } from 'node:net';
import { serve } from '@artist-watch/local-stack/processes/serve';

/** The receiver reacts after it has read a request. */
export type Hostility = (socket: Socket) => void;

export interface HostileReceiver {
  readonly url: string;
  readonly port: number;
  /** Includes bytes in the kernels' buffers. */
  bytesTaken(): number;
  readonly connectionCount: number;
  close(): Promise<void>;
}

export interface HostileReceiverOptions {
  /** By default, the receiver reacts after a request instead of the first byte. */
  readonly atFirstByte?: boolean;
}

export async function startHostileReceiver(
  hostility: Hostility,
  { atFirstByte = false }: HostileReceiverOptions = {},
): Promise<HostileReceiver> {
  const sockets = new Set<Socket>();
  let bytesOfClosed = 0;
  let connectionCount = 0;
  const server = createServer((socket) => {
    connectionCount += 1;
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      bytesOfClosed += takenOf(socket);
    });
    let received = '';
    socket.on('data', (data) => {
      received += data.toString('latin1');
      if (!atFirstByte && !isWhole(received)) return;
      received = '';
      hostility(socket);
    });
  });
  const { port, close } = await serve(server);
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    port,
    bytesTaken: () => [...sockets].reduce((sum, socket) => sum + takenOf(socket), bytesOfClosed),
    get connectionCount() {
      return connectionCount;
    },
    close,
  };
}

export function say(...parts: (string | Buffer)[]): Hostility {
  return (socket) => {
    for (const part of parts) socket.write(part);
  };
}

export function sayAndClose(text: string): Hostility {
  return (socket) => socket.end(text);
}

/** Sends `first`, then `again` repeatedly as fast as the client reads it. */
export function flood(first: string, again: string | Buffer): Hostility {
  const part = typeof again === 'string' ? Buffer.from(again) : again;
  const chunk = Buffer.concat(Array.from({ length: Math.ceil(65_536 / part.length) }, () => part));
  return (socket) => {
    socket.write(first);
    const pump = () => {
      while (!socket.destroyed && socket.write(chunk)) {}
    };
    socket.on('drain', pump);
    pump();
  };
}

/** A short timeout between characters would never expire. */
export function drip(text: string, everyMs: number): Hostility {
  return (socket) => {
    let position = 0;
    const timer = setInterval(() => {
      if (socket.destroyed || position >= text.length) clearInterval(timer);
      else socket.write(text[position++] as string);
    }, everyMs);
  };
}

export function dripAfter(first: string, rest: string, everyMs: number): Hostility {
  return (socket) => {
    socket.write(first);
    drip(rest, everyMs)(socket);
  };
}

function isWhole(request: string): boolean {
  const end = request.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(request)?.[1];
  return end >= 0 && request.length >= end + 4 + Number(length ?? 0);
}

function takenOf(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
