import { migrate, schemaScript } from '@artist-watch/persistence/migration/migrate';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { createEmptyDatabase } from '../harness/suite.js';

/** Everything that Prisma's schema can say, one line each. */
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

test('the migrations make exactly the schema that Prisma was told', async () => {
  const [migrated, modelled] = [await createEmptyDatabase(), await createEmptyDatabase()];
  const fromMigrations = await catalogueOf(migrated, () => migrate(migrated));
  const script = await schemaScript(modelled);
  const fromSchema = await catalogueOf(modelled, (client) => client.query(script));
  expect(fromMigrations.length).toBeGreaterThan(100);
  expect(fromMigrations).toEqual(fromSchema);
});

test('replicas that migrate at the same time apply each migration once', async () => {
  const database = await createEmptyDatabase();
  const runs = await Promise.all([migrate(database), migrate(database), migrate(database)]);
  const applied = runs.flatMap((run) => run.applied);
  expect(applied.length).toBeGreaterThan(0);
  expect(new Set(applied).size).toBe(applied.length);
  expect(await migrate(database)).toEqual({ applied: [] });
});
