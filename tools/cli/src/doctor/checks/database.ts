import type { Database } from '@artist-watch/persistence/database/database';
import { readMigrationState } from '@artist-watch/persistence/migration/migrate';
import { createSecretBox, readSealingKeys } from '@artist-watch/persistence/secret-box';
import { DATABASE_POOL_SIZES } from '@artist-watch/runtime/settings/settings';
import { type Finding, fault, ok, warning } from '../finding.js';

/** The oldest PostgreSQL version that is accepted, although the tests only run on 18. */
const OLDEST_MAJOR = 14;

interface Server {
  readonly version: string;
  readonly version_number: number;
  readonly encoding: string;
  readonly read_only: boolean;
}

export async function examineDatabase({ pool }: Database): Promise<Finding[]> {
  const { rows } = await pool.query<Server>(`
    SELECT current_setting('server_version') AS version,
           current_setting('server_version_num')::int AS version_number,
           current_setting('server_encoding') AS encoding,
           pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool AS read_only`);
  const [server] = rows;
  if (!server) throw new Error('PostgreSQL did not return its version.');
  return [version(server), encoding(server), writable(server)];
}

function version({ version, version_number }: Server): Finding {
  const major = Math.floor(version_number / 10_000);
  return major < OLDEST_MAJOR
    ? fault('database.version', `PostgreSQL ${version}.`, `Upgrade to ${OLDEST_MAJOR} or later. The tests run on 18.`)
    : ok('database.version', `PostgreSQL ${version}.`);
}

function encoding({ encoding }: Server): Finding {
  return encoding === 'UTF8'
    ? ok('database.encoding', encoding)
    : fault(
        'database.encoding',
        `${encoding}: the database rejects names with other characters.`,
        "Create a database with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and restore a dump into it.",
      );
}

function writable({ read_only }: Server): Finding {
  return read_only
    ? fault(
        'database.writable',
        'The database is read-only, because it is a standby or default_transaction_read_only is on.',
        'Set DATABASE_URL to the primary.',
      )
    : ok('database.writable', 'The database accepts writes.');
}

const FEW_CONNECTIONS = 10;

type Service = keyof typeof DATABASE_POOL_SIZES;

export interface Replicas {
  readonly service: Service;
  readonly count: number;
  readonly poolSize: number | undefined;
}

/** For example `api=21`, or `webhook-worker=63x4` for 63 replicas with a pool size of 4. */
export const REPLICAS = new RegExp(`^(${Object.keys(DATABASE_POOL_SIZES).join('|')})=(\\d{1,4})(?:x(\\d{1,3}))?$`);

export function readReplicas(text: string): Replicas {
  const [, service, count, poolSize] = REPLICAS.exec(text) ?? [];
  return {
    service: service as Service,
    count: Number(count),
    poolSize: poolSize === undefined ? undefined : Number(poolSize),
  };
}

/** Checks that PostgreSQL allows enough connections for the maximum number of replicas. */
export async function examineConnections(
  { pool }: Database,
  replicas: readonly Replicas[],
  setPoolSize: number | undefined,
): Promise<Finding[]> {
  // PostgreSQL hides the `backend_type` of sessions that belong to other roles
  // (https://www.postgresql.org/docs/current/monitoring-stats.html). `reserved_connections` was added in PostgreSQL 16.
  const { rows } = await pool.query<{ allowed: number; used: number }>(`
    SELECT least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                   - coalesce(current_setting('reserved_connections', true)::int, 0),
                 nullif((SELECT datconnlimit FROM pg_database WHERE datname = current_database()), -1),
                 nullif((SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user), -1)) AS allowed,
           (SELECT count(*)::int FROM pg_stat_activity
             WHERE usesysid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend') AS used`);
  const { allowed = 0, used = 0 } = rows[0] ?? {};
  return [freeConnections(allowed, used), ...(replicas.length > 0 ? [maximumUse(allowed, replicas, setPoolSize)] : [])];
}

function freeConnections(allowed: number, used: number): Finding {
  const check = 'database.connections';
  const found = `${allowed - used} of ${allowed} connections are free.`;
  return allowed - used < FEW_CONNECTIONS
    ? warning(check, found, 'Raise max_connections, or lower DATABASE_POOL_SIZE or the number of replicas.')
    : ok(check, found);
}

function maximumUse(allowed: number, replicas: readonly Replicas[], setPoolSize: number | undefined): Finding {
  const check = 'database.connections_at_most';
  const parts = replicas.map(({ service, count, poolSize }) => ({
    service,
    count,
    poolSize: poolSize ?? setPoolSize ?? DATABASE_POOL_SIZES[service],
  }));
  const sum = parts.reduce((total, { count, poolSize }) => total + count * poolSize, 0);
  const terms = parts.map(({ service, count, poolSize }) => `${service} ${count} x ${poolSize}`).join(' + ');
  const found = `All replicas together use up to ${sum} connections (${terms}); ${allowed} are allowed.`;
  return sum + FEW_CONNECTIONS > allowed
    ? warning(
        check,
        found,
        `Raise max_connections to ${sum + FEW_CONNECTIONS} or more, or lower DATABASE_POOL_SIZE or the maximum number of replicas ` +
          '(docs/settings.md#connections-to-postgresql).',
      )
    : ok(check, found);
}

export async function examineMigrations(database: Database): Promise<Finding[]> {
  const { applied, missing, unknown, unfinished, altered } = await readMigrationState(database);
  const findings: Finding[] = [];
  const report = (what: string, names: readonly string[], fix: string) => {
    if (names.length > 0) findings.push(fault(`migrations.${what}`, `${names.join(', ')}.`, fix));
  };
  report(
    'unfinished',
    unfinished,
    'Complete or undo these migrations (docs/runbooks/migration-failed.md), then migrate again.',
  );
  report(
    'missing',
    missing.filter((name) => !unfinished.includes(name)),
    'Run pnpm migrate, or the migration Job, with this DATABASE_URL.',
  );
  report(
    'unknown',
    unknown,
    'The database is newer than this version, or belongs to another program. Use the version that migrated it.',
  );
  report(
    'altered',
    altered,
    'An applied migration was edited later. Restore the released file, and move the edits to a new migration.',
  );
  const invalid = await readInvalidIndexes(database);
  if (invalid.length > 0) {
    findings.push(
      warning(
        'migrations.indexes',
        `Reads cannot use invalid indexes: ${invalid.join(', ')}. The build failed or is still running.`,
        'If no build is running, run REINDEX INDEX CONCURRENTLY for each of them, as the owner of the schema.',
      ),
    );
  }
  return findings.length > 0 ? findings : [ok('migrations', `All ${applied.length} migrations are applied.`)];
}

/**
 * A failed CREATE INDEX CONCURRENTLY leaves invalid indexes
 * (https://www.postgresql.org/docs/current/sql-createindex.html). `CREATE INDEX IF NOT EXISTS` does not rebuild them.
 */
async function readInvalidIndexes({ pool }: Database): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(`
    SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace
     ORDER BY 1`);
  return rows.map(({ name }) => name);
}

export async function examineEncryptionKey(
  database: Database,
  key: Uint8Array,
  retiredKeys: readonly Uint8Array[],
): Promise<Finding[]> {
  const { current, retired, unopened } = await readSealingKeys(database, createSecretBox(key, retiredKeys));
  if (unopened.length > 0) {
    return [
      fault(
        'encryption_key',
        `Some stored signing secrets cannot be decrypted, so their webhooks wait. ${unopened.join(' ')}`,
        'Set ENCRYPTION_KEY to the key that encrypted them, or add that key to ENCRYPTION_KEYS_RETIRED, for every service.',
      ),
    ];
  }
  if (retired > 0) {
    return [
      warning(
        'encryption_key',
        'Some signing secrets are still encrypted with a retired key.',
        'Run pnpm --silent cli destination reseal-secrets. One day later, remove the old key from ENCRYPTION_KEYS_RETIRED.',
      ),
    ];
  }
  return [
    ok(
      'encryption_key',
      current > 0 ? 'ENCRYPTION_KEY decrypts the stored signing secrets.' : 'No signing secret is stored yet.',
    ),
  ];
}
