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
 * The SQL that would bring the migrations to `prisma/schema.prisma`; empty when they agree. Applies the migrations to
 * a database of its own, which it creates on the same server and drops again.
 */
export async function schemaDrift(databaseUrl: string): Promise<string> {
  const [migrations, schema] = await Promise.all([readMigrations(), readSchema()]);
  const { stdout } = await withSchemaEngine(databaseUrl, (engine) =>
    engine.diff({
      from: { tag: 'migrations', ...migrations },
      to: { tag: 'schemaDatamodel', ...schema },
      script: true,
      exitCode: null,
      filters: everything,
    }),
  );
  const script = stdout ?? '';
  return script.includes('This is an empty migration') ? '' : script;
}
