import path from 'node:path';
import pg from 'pg';
import { postgresBinaries } from './postgres/binaries.js';
import { initialiseCluster, nameFromWithin, removeStaleMark } from './postgres/cluster.js';
import { unprivilegedUser } from './postgres/unprivileged-user.js';
import { type EmbeddedServer, runEmbeddedServer } from './processes/embedded-server.js';
import type { Reaper } from './processes/reaper.js';
import { startServerProcess } from './processes/server-process.js';

export interface PostgresOptions {
  /** Holds the cluster; made when it is missing, and kept when the server stops. */
  readonly directory: string;
  /** Of the superuser `postgres`; must be the same each time that a directory is used. */
  readonly password: string;
  readonly logFile: string;
  /** Made when it is missing. */
  readonly database: string;
  /** A free one when left out. */
  readonly port?: number | undefined;
  /** Server settings on top of the defaults, for example `{ fsync: 'off' }` for a cluster that is thrown away. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly reaper: Reaper;
}

const defaultSettings = {
  listen_addresses: '127.0.0.1',
  // No socket file in a place that another server may use.
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  fsync: 'on',
  log_destination: 'stderr',
  logging_collector: 'off',
  lc_messages: 'C',
  timezone: 'UTC',
} as const;

/**
 * Starts a real PostgreSQL on 127.0.0.1, as root and as an ordinary user, from the binaries that npm installed.
 *
 * @throws one sentence when it does not come up.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedServer> {
  const user = await unprivilegedUser();
  const binaries = await postgresBinaries(user);
  const data = await initialiseCluster(path.resolve(options.directory), options.password, binaries, user);

  const settings = { ...defaultSettings, ...options.settings };
  const settingArgs = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // It has no TLS: a PGSSLMODE that somebody set for another server must not ask it for any.
  const urlOf = (port: number, database: string) =>
    `postgresql://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${port}/${database}?sslmode=disable`;

  return runEmbeddedServer(
    {
      name: 'PostgreSQL',
      logFile: options.logFile,
      // Fast shutdown first, immediate shutdown if a client holds it up.
      stopSignals: ['SIGINT', 'SIGQUIT'],
      urlAt: (port) => urlOf(port, options.database),
      async launch(port) {
        await removeStaleMark(data);
        return startServerProcess(
          {
            command: binaries.postgres,
            args: ['-D', nameFromWithin(data, user), '-p', String(port), ...settingArgs],
            cwd: data,
            env: process.env,
            user,
            logFile: options.logFile,
          },
          options.reaper,
        );
      },
      async answers(port) {
        await createDatabaseIfMissing(urlOf(port, 'postgres'), options.database);
        return true;
      },
    },
    options.port,
  );
}

async function createDatabaseIfMissing(maintenanceUrl: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: maintenanceUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}
