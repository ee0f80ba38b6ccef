import { createConnection, createServer, type Socket } from 'node:net';

/** What stands between a client and PostgreSQL, as PgBouncer does, seen from the start of a session. */
export interface Pooler {
  /** The address of the server, with the pooler's host and port in place of its own. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * What becomes of a start-up parameter that the pooler does not keep itself: PgBouncer refuses the connection, or drops
 * those that `ignore_startup_parameters` names. It never passes one on; other poolers do.
 */
export type PoolerManner = 'refuses' | 'drops' | 'passes on';

/** https://www.pgbouncer.org/config.html#ignore_startup_parameters */
const KEPT = new Set([
  ...['user', 'database', 'application_name', 'client_encoding'],
  ...['datestyle', 'timezone', 'standard_conforming_strings'],
]);

/** Each session has a connection of its own to the server. It does not speak TLS. */
export async function startPooler(serverUrl: string, manner: PoolerManner): Promise<Pooler> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const server = createServer((inbound) => {
    const outbound = createConnection({ host: target.hostname, port: Number(target.port) });
    for (const [socket, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
    }
    readStartupMessage(inbound, (parameters, rest) => {
      const unknown = parameters.filter(([name]) => !KEPT.has(name.toLowerCase()));
      if (manner === 'refuses' && unknown[0]) {
        inbound.end(refusal(`unsupported startup parameter: ${unknown[0][0]}`));
        return;
      }
      const passed = manner === 'drops' ? parameters.filter((parameter) => !unknown.includes(parameter)) : parameters;
      outbound.write(Buffer.concat([startupMessage(passed), rest]));
      inbound.pipe(outbound).pipe(inbound);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: url.href,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

type Parameter = readonly [name: string, value: string];

const HEAD_BYTES = 8;
const PROTOCOL_3 = 196_608;

/** https://www.postgresql.org/docs/current/protocol-message-formats.html, StartupMessage. */
function readStartupMessage(socket: Socket, onRead: (parameters: Parameter[], rest: Buffer) => void): void {
  let read = Buffer.alloc(0);
  const onData = (bytes: Buffer) => {
    read = Buffer.concat([read, bytes]);
    if (read.length < HEAD_BYTES || read.length < read.readInt32BE(0)) return;
    socket.off('data', onData).pause();
    const length = read.readInt32BE(0);
    const texts = read.toString('utf8', HEAD_BYTES, length).split('\0');
    const names = texts.filter((text, index) => index % 2 === 0 && text !== '');
    onRead(
      names.map((name, index) => [name, texts[2 * index + 1] ?? '']),
      read.subarray(length),
    );
  };
  socket.on('data', onData);
}

function startupMessage(parameters: readonly Parameter[]): Buffer {
  const body = Buffer.from(`${parameters.map(([name, value]) => `${name}\0${value}\0`).join('')}\0`);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeInt32BE(HEAD_BYTES + body.length, 0);
  head.writeInt32BE(PROTOCOL_3, 4);
  return Buffer.concat([head, body]);
}

/** An ErrorResponse. */
function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}
