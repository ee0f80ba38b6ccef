import { createServer, type Socket } from 'node:net';
import { serve } from '@artist-watch/local-stack/processes/serve';

/** What a hostile receiver does once it has read a request. */
export type Hostility = (socket: Socket) => void;

export interface HostileReceiver {
  readonly url: string;
  readonly port: number;
  /** Over all connections: what the other side, and the kernels in between, have taken. */
  bytesTaken(): number;
  readonly connectionCount: number;
  close(): Promise<void>;
}

export interface HostileReceiverOptions {
  /** Begins at the first byte, be it of HTTP or of TLS; once a request has been read unless given. */
  readonly atFirstByte?: boolean;
}

/** A server on the loopback that speaks raw bytes. */
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

/** Says this, and then nothing more. */
export function say(...parts: (string | Buffer)[]): Hostility {
  return (socket) => {
    for (const part of parts) socket.write(part);
  };
}

/** Says this and closes in order. */
export function sayAndClose(text: string): Hostility {
  return (socket) => socket.end(text);
}

/** Says `first` and then `again` for as long and as fast as somebody takes it. */
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

/** Says it a character at a time, slowly enough that a short timeout between two of them would never pass. */
export function drip(text: string, everyMs: number): Hostility {
  return (socket) => {
    let position = 0;
    const timer = setInterval(() => {
      if (socket.destroyed || position >= text.length) clearInterval(timer);
      else socket.write(text[position++] as string);
    }, everyMs);
  };
}

/** Says `first` at once, and the rest a character at a time. */
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
