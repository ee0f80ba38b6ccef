import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sleep } from '@artist-watch/runtime/clock';
import pg from 'pg';
import type { Database } from '../database/database.js';

const directory = fileURLToPath(new URL('../../../../prisma/migrations/', import.meta.url));

interface Migration {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the SQL in hex, as Prisma computes it. */
  readonly checksum: string;
}

/** Oldest first. */
async function readMigrations(): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(path.join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** Migration names, oldest first. In a correct database, only `applied` has entries. */
interface MigrationState {
  readonly applied: readonly string[];
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
  /** These migrations were started, but neither finished nor rolled back. */
  readonly unfinished: readonly string[];
  readonly altered: readonly string[];
}

interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

const UNDEFINED_TABLE = '42P01';

export async function readMigrationState(database: Database): Promise<MigrationState> {
  const [migrations, rows] = await Promise.all([readMigrations(), readApplied(database.pool)]);
  const checksums = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const namesWhere = (matches: (row: AppliedMigration) => boolean) => rows.filter(matches).map(({ name }) => name);
  const applied = namesWhere(({ finished }) => finished);
  return {
    applied,
    missing: [...checksums.keys()].filter((name) => !applied.includes(name)),
    unknown: namesWhere(({ name }) => !checksums.has(name)),
    unfinished: namesWhere(({ finished }) => !finished),
    altered: namesWhere(({ name, checksum, finished }) => {
      const here = checksums.get(name);
      return finished && here !== undefined && here !== checksum;
    }),
  };
}

async function readApplied(client: pg.Pool | pg.Client): Promise<AppliedMigration[]> {
  try {
    const { rows } = await client.query<AppliedMigration>(
      `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished FROM _prisma_migrations
        WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`,
    );
    return rows;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}

/** If several replicas start together, one migrates and the others wait. */
const MIGRATION_LOCK = 4_205_021_217;
/**
 * Replicas must not wait for the lock inside a statement, because CREATE INDEX CONCURRENTLY waits for every running
 * statement.
 */
const LOCK_PAUSE_MS = 200;

/** A migration that starts with this line runs outside a transaction. Each of its statements must be safe to repeat. */
const OUTSIDE_TRANSACTION = '-- Runs outside a transaction.\n';

/**
 * A statement that is waiting for a table lock blocks later statements, so the wait is short and the statement is
 * retried.
 */
const LOCK_TIMEOUT = '3s';
const PAUSE_MS = 5_000;
const MAX_TRIES = 100;

/** lock_not_available, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const LOCK_NOT_AVAILABLE = '55P03';

/** Prisma's commands can read this table. */
const MIGRATIONS_TABLE = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id varchar(36) PRIMARY KEY NOT NULL,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0)`;

/**
 * Migrates a database to the newest version. Several replicas may call it concurrently.
 * @returns the names of the applied migrations, oldest first.
 * @throws if the database is unreachable, a migration fails, or another tool left a migration unfinished.
 */
export async function migrate(databaseUrl: string): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await takeLock(client);
    const rows = await readApplied(client);
    const unfinished = rows.filter(({ finished }) => !finished).map(({ name }) => name);
    if (unfinished.length > 0) {
      throw new Error(`${unfinished.join(', ')} started but did not finish. See docs/runbooks/migration-failed.md.`);
    }
    const known = new Set(rows.map(({ name }) => name));
    const missing = (await readMigrations()).filter(({ name }) => !known.has(name));
    if (missing.length > 0) await client.query(MIGRATIONS_TABLE);
    for (const migration of missing) await apply(client, migration);
    return { applied: missing.map(({ name }) => name) };
  } finally {
    await client.end();
  }
}

async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS is_taken', [MIGRATION_LOCK]);
    if (rows[0].is_taken) return;
    await sleep(LOCK_PAUSE_MS);
  }
}

async function apply(client: pg.Client, migration: Migration, tries = MAX_TRIES): Promise<void> {
  const { name, sql, checksum } = migration;
  try {
    if (sql.startsWith(OUTSIDE_TRANSACTION)) {
      for (const statement of sql.split(';\n').filter((text) => text.trim() !== '')) await client.query(statement);
    }
    await client.query('BEGIN');
    await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    if (!sql.startsWith(OUTSIDE_TRANSACTION)) await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    if (tries > 1 && (error as { readonly code?: unknown }).code === LOCK_NOT_AVAILABLE) {
      await sleep(PAUSE_MS);
      return apply(client, migration, tries - 1);
    }
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
