import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { serveParent } from '../processes/measured-main.js';

/**
 * `/ok…` returns 204 immediately, `/after/MS…` returns 204 after that many milliseconds, and `/hang…` never responds.
 * The receiver uses little CPU time because it only implements the parts of HTTP that the sender needs.
 * Settings: KEY_FILE (for https), CERTIFICATE_FILE, PORTS (number).
 */
const { KEY_FILE = '', CERTIFICATE_FILE = '', PORTS = '1' } = process.env;

const NO_CONTENT = Buffer.from('HTTP/1.1 204 No Content\r\n\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');

let requests = 0;
let open = 0;
let arrivals: [path: string, entityId: string, atMs: number][] | undefined;

function take(socket: Socket, head: string, body: Buffer): void {
  requests += 1;
  open += 1;
  const path = head.slice(5, head.indexOf(' ', 5));
  if (arrivals) {
    const entityId = /"entity_id":"([^"]+)"/.exec(body.toString('utf8'))?.[1] ?? '';
    arrivals.push([path, entityId, performance.timeOrigin + performance.now()]);
  }
  const answer = () => {
    open -= 1;
    if (!socket.destroyed) socket.write(NO_CONTENT);
  };
  if (path.startsWith('/ok')) answer();
  else if (path.startsWith('/after/')) setTimeout(answer, Number(/\d+/.exec(path)?.[0]));
  else socket.once('close', () => (open -= 1));
}

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  let held: Buffer | undefined;
  socket.on('data', (chunk: Buffer) => {
    const bytes = held ? Buffer.concat([held, chunk]) : chunk;
    held = bytes;
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) return;
    const head = bytes.toString('latin1', 0, end + 2);
    const bodyAt = end + HEAD_END.length;
    const length = Number(/\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1] ?? 0);
    if (bytes.length < bodyAt + length) return;
    held = undefined;
    take(socket, head, bytes.subarray(bodyAt, bodyAt + length));
  });
}

const secure = KEY_FILE ? { key: readFileSync(KEY_FILE), cert: readFileSync(CERTIFICATE_FILE) } : undefined;
const ports: number[] = [];
for (let index = 0; index < Number(PORTS); index += 1) {
  const server = secure ? createTlsServer(secure, serve) : createServer(serve);
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ports.push((server.address() as AddressInfo).port);
}

serveParent(Object.fromEntries(ports.entries()), {
  counts: () => ({ requests, open }),
  // The first call starts the recording.
  arrivals() {
    const arrived = arrivals ?? [];
    arrivals = [];
    return { arrivals: arrived };
  },
});
