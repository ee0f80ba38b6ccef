import { isFree } from '@artist-watch/local-stack/processes/free-port';
import { findOnPath } from '@artist-watch/local-stack/processes/on-path';
import { startScratchServer } from './scratch-server.js';

export interface Pgbouncer {
  /** The server's URL with PgBouncer's host and port. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Undefined if PgBouncer is not installed. */
export function findPgbouncer(): string | undefined {
  return findOnPath(['pgbouncer']);
}

export async function startPgbouncer(
  program: string,
  serverUrl: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<Pgbouncer> {
  const target = new URL(serverUrl);
  const { hostname, port: serverPort, username, password } = target;
  const asRoot = process.getuid?.() === 0;
  const server = await startScratchServer({
    name: 'PgBouncer',
    program,
    configuration: (port) =>
      [
        '[databases]',
        `* = host=${hostname} port=${serverPort} user=${username} password=${decodeURIComponent(password)}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = any',
        // PgBouncer refuses to run as root.
        ...(asRoot ? ['user = nobody'] : []),
        ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
      ].join('\n'),
    args: (_port, file) => [file],
    urlAt: (port) => `postgres://127.0.0.1:${port}`,
    answers: async (port) => !(await isFree(port)),
  });
  target.host = `127.0.0.1:${server.port}`;
  return { url: target.href, stop: server.stop };
}
