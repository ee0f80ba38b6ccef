import type { Database } from '@artist-watch/persistence/database/database';
import { type Finding, fault, ok } from '../finding.js';

/** The oldest that still gets fixes; what is tested is 18. */
const OLDEST_MAJOR = 14;

interface Server {
  readonly version: string;
  readonly version_number: number;
  readonly encoding: string;
  readonly read_only: boolean;
}

/** The version, the encoding, and whether it takes writes. */
export async function examineDatabase({ pool }: Database): Promise<Finding[]> {
  const { rows } = await pool.query<Server>(`
    SELECT current_setting('server_version') AS version,
           current_setting('server_version_num')::int AS version_number,
           current_setting('server_encoding') AS encoding,
           pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool AS read_only`);
  const [server] = rows;
  if (!server) throw new Error('PostgreSQL says nothing about itself.');
  return [version(server), encoding(server), writable(server)];
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
