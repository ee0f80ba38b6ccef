import type { Database } from '@artist-watch/persistence/database/database';
import { type Finding, fault, ok, warning } from '../finding.js';

/** The oldest that still gets fixes; what is tested is 18. */
const OLDEST_MAJOR = 14;
const FEW_CONNECTIONS = 10;

interface Server {
  readonly version: string;
  readonly version_number: number;
  readonly encoding: string;
  readonly read_only: boolean;
  readonly connections_allowed: number;
  readonly connections_used: number;
}

/** The version, the encoding, whether it takes writes, and how many connections are left. */
export async function examineDatabase({ pool }: Database): Promise<Finding[]> {
  const { rows } = await pool.query<Server>(`
    SELECT current_setting('server_version') AS version,
           current_setting('server_version_num')::int AS version_number,
           current_setting('server_encoding') AS encoding,
           pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool AS read_only,
           least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
                 nullif((SELECT datconnlimit FROM pg_database WHERE datname = current_database()), -1),
                 nullif((SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user), -1)) AS connections_allowed,
           (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections_used`);
  const [server] = rows;
  if (!server) throw new Error('PostgreSQL says nothing about itself.');
  return [version(server), encoding(server), writable(server), connections(server)];
}

function version({ version, version_number }: Server): Finding {
  const major = Math.floor(version_number / 10_000);
  return major < OLDEST_MAJOR
    ? fault(
        'database.version',
        `PostgreSQL ${version}.`,
        `Upgrade to ${OLDEST_MAJOR} or later; 18 is what the tests run on.`,
      )
    : ok('database.version', `PostgreSQL ${version}.`);
}

function encoding({ encoding }: Server): Finding {
  return encoding === 'UTF8'
    ? ok('database.encoding', encoding)
    : fault(
        'database.encoding',
        `${encoding}: names that it cannot write are refused.`,
        "Make a database with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and restore a dump into it.",
      );
}

function writable({ read_only }: Server): Finding {
  return read_only
    ? fault(
        'database.writable',
        'It takes no writes: a standby, or default_transaction_read_only is on.',
        'Point DATABASE_URL to the primary.',
      )
    : ok('database.writable', 'It takes writes.');
}

function connections({ connections_allowed, connections_used }: Server): Finding {
  const left = connections_allowed - connections_used;
  const found = `${left} of ${connections_allowed} are left.`;
  return left < FEW_CONNECTIONS
    ? warning(
        'database.connections',
        found,
        'Raise max_connections, or lower DATABASE_POOL_SIZE or the number of replicas.',
      )
    : ok('database.connections', found);
}
