import path from 'node:path';
import pg from 'pg';
import { postgresBinaries } from './postgres/binaries.js';
import { initialiseCluster, pathInCluster, removeStaleLock } from './postgres/cluster.js';
import { unprivilegedUser } from './postgres/unprivileged-user.js';
import { type EmbeddedServer, runEmbeddedServer } from './processes/embedded-server.js';
import type { Reaper } from './processes/reaper.js';
import { startServerProcess } from './processes/server-process.js';

export interface PostgresOptions {
  /** Created if missing. Not deleted when the server stops. */
  readonly directory: string;
  /** The superuser's password, which must not change while the directory is in use. */
  readonly password: string;
  readonly logFile: string;
  /** Created if missing. */
  readonly database: string;
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** Additional settings, for example `{ fsync: 'off' }` for a temporary cluster. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly reaper: Reaper;
}

const defaultSettings = {
  listen_addresses: '127.0.0.1',
  // Another server may already be using the default socket path.
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
 * Starts PostgreSQL on 127.0.0.1 using the binaries installed by npm.
 * @throws Error with a one-sentence message if PostgreSQL does not start.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedServer> {
  const user = await unprivilegedUser();
  const binaries = await postgresBinaries(user);
  const data = await initialiseCluster(path.resolve(options.directory), options.password, binaries, user);

  const settings = { ...defaultSettings, ...options.settings };
  const settingArgs = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // The server doesn't support TLS, so PGSSLMODE from the environment must not apply.
  const buildUrl = (port: number, database: string) =>
    `postgresql://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${port}/${database}?sslmode=disable`;

  return runEmbeddedServer(
    {
      name: 'PostgreSQL',
      logFile: options.logFile,
      // Clients can delay a fast shutdown (SIGINT), but not an immediate one (SIGQUIT).
      stopSignals: ['SIGINT', 'SIGQUIT'],
      urlAt: (port) => buildUrl(port, options.database),
      async launch(port) {
        await removeStaleLock(data);
        return startServerProcess(
          {
            command: binaries.postgres,
            args: ['-D', pathInCluster(data, user), '-p', String(port), ...settingArgs],
            cwd: data,
            env: process.env,
            user,
            logFile: options.logFile,
          },
          options.reaper,
        );
      },
      async answers(port) {
        await createDatabaseIfMissing(buildUrl(port, 'postgres'), options.database);
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
