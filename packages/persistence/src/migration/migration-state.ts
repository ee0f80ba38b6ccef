import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import type { Database } from '../database/database.js';

const directory = fileURLToPath(new URL('../../../../prisma/migrations/', import.meta.url));

export interface Migration {
  /** The name of its directory, which begins with its time. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the SQL, in hex, as Prisma computes it. */
  readonly checksum: string;
}

/** The forward-only migrations of `prisma/migrations`, oldest first. */
export async function readMigrations(): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(path.join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** The names of migrations, oldest first; all but `applied` are empty where a database is as it should be. */
export interface MigrationState {
  readonly applied: readonly string[];
  /** Here, and not yet in the database. */
  readonly missing: readonly string[];
  /** In the database, and not here: it is newer than this version, or somebody else's. */
  readonly unknown: readonly string[];
  /** Began, and neither finished nor were rolled back. */
  readonly unfinished: readonly string[];
  /** Applied with another text than stands here. */
  readonly altered: readonly string[];
}

interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

const UNDEFINED_TABLE = '42P01';

/** Compares what the database has applied with the migrations of this version. Changes nothing. */
export async function readMigrationState(database: Database): Promise<MigrationState> {
  const [migrations, rows] = await Promise.all([readMigrations(), readApplied(database.pool)]);
  const checksums = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const namesOf = (matches: (row: AppliedMigration) => boolean) => rows.filter(matches).map(({ name }) => name);
  const applied = namesOf(({ finished }) => finished);
  return {
    applied,
    missing: [...checksums.keys()].filter((name) => !applied.includes(name)),
    unknown: namesOf(({ name }) => !checksums.has(name)),
    unfinished: namesOf(({ finished }) => !finished),
    altered: namesOf(({ name, checksum, finished }) => {
      const here = checksums.get(name);
      return finished && here !== undefined && here !== checksum;
    }),
  };
}

/** Those that were not rolled back, oldest first; none in a database that nobody has ever migrated. */
export async function readApplied(client: pg.Pool | pg.Client): Promise<AppliedMigration[]> {
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
