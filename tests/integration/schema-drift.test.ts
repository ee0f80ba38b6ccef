import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { migrate } from '@artist-watch/persistence/migration/migrate';
import { expect, test } from '@jest/globals';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { createEmptyDatabase } from '../harness/suite.js';
import { until } from '../harness/until.js';

/** Returns everything that Prisma's schema can express, one line each. */
const CATALOGUE = `
  SELECT format('column %s.%s %s%s default %s', c.table_name, c.column_name,
                coalesce(c.domain_name, c.udt_name), CASE WHEN c.is_nullable = 'YES' THEN '' ELSE ' not null' END
                || coalesce(' precision ' || c.datetime_precision, ''), coalesce(c.column_default, 'none')) AS line
    FROM information_schema.columns c WHERE c.table_schema = 'public' AND c.table_name <> '_prisma_migrations'
  UNION ALL
  SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indrelid
   WHERE c.relnamespace = 'public'::regnamespace AND c.relname <> '_prisma_migrations' AND indexprs IS NULL
  UNION ALL
  SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
   WHERE connamespace = 'public'::regnamespace AND contype = 'f'
  UNION ALL
  SELECT format('enum %s %s', t.typname, string_agg(e.enumlabel, ',' ORDER BY e.enumsortorder))
    FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid GROUP BY t.typname
  ORDER BY 1`;

async function catalogueOf(databaseUrl: string, prepare: (client: pg.Client) => Promise<unknown>): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await prepare(client);
    const { rows } = await client.query<{ line: string }>(CATALOGUE);
    return rows.map((row) => row.line);
  } finally {
    await client.end();
  }
}

/** Node's types omit this global. */
declare const WebAssembly: {
  instantiate(code: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
};

interface EngineBindings {
  readonly SchemaEngine: {
    new: (options: { datamodels: undefined }, log: (line: string) => void, adapter: never) => Promise<SchemaEngine>;
  };
  __wbg_set_wasm(exports: object): void;
}

/** Prisma's engine would use this SQL to create `prisma/schema.prisma` in an empty database. */
async function schemaScript(databaseUrl: string): Promise<string> {
  // The package imports the `.wasm` file as a module, which Node supports only with a flag.
  const directory = path.dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'));
  const bindings = (await import(pathToFileURL(path.join(directory, 'schema_engine_bg.js')).href)) as EngineBindings;
  const code = await readFile(path.join(directory, 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': bindings });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();

  const file = fileURLToPath(new URL('../../prisma/schema.prisma', import.meta.url));
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool));
  const engine = await bindings.SchemaEngine.new({ datamodels: undefined }, () => {}, adapter as never);
  try {
    const { stdout } = await engine.diff({
      from: { tag: 'empty' },
      to: { tag: 'schemaDatamodel', files: [{ path: file, content: await readFile(file, 'utf8') }] },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    return stdout ?? '';
  } finally {
    engine.free();
    await pool.end();
  }
}

test('the migrations create exactly the Prisma schema', async () => {
  const [migrated, modelled] = [await createEmptyDatabase(), await createEmptyDatabase()];
  const fromMigrations = await catalogueOf(migrated, () => migrate(migrated));
  const script = await schemaScript(modelled);
  // Prisma does not support functions.
  const functions = "CREATE FUNCTION feed_position() RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';";
  const fromSchema = await catalogueOf(modelled, (client) => client.query(functions + script));
  expect(fromMigrations.length).toBeGreaterThan(100);
  expect(fromMigrations).toEqual(fromSchema);
});

test('an interrupted migration outside a transaction runs again from its start', async () => {
  const database = await createEmptyDatabase();
  await migrate(database);
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const name = '20261127190100_feed_position_index';
    await client.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [name]);
    await client.query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'feed_items_position_idx'::regclass");
    expect(await migrate(database)).toEqual({ applied: [name] });
    const { rows } = await client.query('SELECT FROM pg_index WHERE NOT indisvalid');
    expect(rows).toEqual([]);
  } finally {
    await client.end();
  }
});

test('replicas that migrate at the same time apply each migration once', async () => {
  const database = await createEmptyDatabase();
  const runs = await Promise.all([migrate(database), migrate(database), migrate(database)]);
  const applied = runs.flatMap((run) => run.applied);
  expect(applied.length).toBeGreaterThan(0);
  expect(new Set(applied).size).toBe(applied.length);
  expect(await migrate(database)).toEqual({ applied: [] });
});

test('a failed migration leaves nothing, and the next run applies it completely', async () => {
  const database = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    // An existing object with the name of one in the first migration makes it fail.
    await client.query('CREATE TABLE accounts (id text)');
    await expect(migrate(database)).rejects.toThrow(/_init: .*already exists/);
    const { rows } = await client.query('SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1', ['public']);
    expect(rows.map((row) => row.tablename)).toEqual(['_prisma_migrations', 'accounts']);
    await client.query('DROP TABLE accounts');
    expect((await migrate(database)).applied[0]).toMatch(/_init$/);
  } finally {
    await client.end();
  }
});

test('a migration that waits for a table does not block other writes and is applied once the table is free', async () => {
  const database = await createEmptyDatabase();
  await migrate(database);
  const [holder, writer] = [new pg.Client(database), new pg.Client(database)];
  await Promise.all([holder.connect(), writer.connect()]);
  try {
    const name = '20261125150000_mails_that_expire';
    await writer.query(
      `DROP INDEX mails_expiring_idx; DELETE FROM _prisma_migrations WHERE migration_name = '${name}'`,
    );
    await holder.query('BEGIN; LOCK TABLE mails IN ROW EXCLUSIVE MODE');
    const run = migrate(database);
    await until('the migration to wait for the table', async () => {
      const { rows } = await writer.query(`SELECT FROM pg_locks WHERE relation = 'mails'::regclass AND NOT granted`);
      return rows.length > 0;
    });
    await writer.query(`SET lock_timeout = '30s'; DELETE FROM mails`);
    await holder.query('ROLLBACK');
    expect(await run).toEqual({ applied: [name] });
  } finally {
    await Promise.all([holder.end(), writer.end()]);
  }
});
