import pg from 'pg';
import { readMigrations, readSchema } from './migrations-directory.js';
import { withSchemaEngine } from './schema-engine.js';

/** Any constant: replicas that start together take this advisory lock, so one migrates and the others wait for it. */
const MIGRATION_LOCK = 4_205_021_217;

const everything = { externalTables: [], externalEnums: [] };

/**
 * Brings a database to the newest migration. Safe to run from several replicas at once, and a second run applies
 * nothing.
 *
 * @returns the names of the migrations that this call applied, oldest first.
 * @throws when the database cannot be reached, or a migration failed half-way in an earlier run.
 */
export async function migrate(databaseUrl: string): Promise<{ applied: string[] }> {
  const lock = new pg.Client({ connectionString: databaseUrl });
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const migrationsList = await readMigrations();
    const { appliedMigrationNames } = await withSchemaEngine(databaseUrl, (engine) =>
      engine.applyMigrations({ migrationsList, filters: everything }),
    );
    return { applied: appliedMigrationNames };
  } finally {
    await lock.end();
  }
}

/**
 * The SQL that makes `prisma/schema.prisma` in an empty database: what a check of drift compares the migrations with.
 *
 * @param databaseUrl any database; it is connected to, and left as it is.
 */
export async function schemaScript(databaseUrl: string): Promise<string> {
  const schema = await readSchema();
  const { stdout } = await withSchemaEngine(databaseUrl, (engine) =>
    engine.diff({
      from: { tag: 'empty' },
      to: { tag: 'schemaDatamodel', ...schema },
      script: true,
      exitCode: null,
      filters: everything,
    }),
  );
  return stdout ?? '';
}
