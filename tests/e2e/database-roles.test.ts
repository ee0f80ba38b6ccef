import { readFile } from 'node:fs/promises';
import { useSuite } from '@artist-watch/harness/suite';
import { migrate } from '@artist-watch/persistence/migration/migrate';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { callJson, reportedRemoval } from '../harness/json-calls.js';
import { startReceiver } from '../harness/receiver.js';
import { startStackProcess } from '../harness/stack-process.js';

const { databaseUrl, redisUrl, pool, onEnd } = await useSuite();
/** Roles belong to the whole server, which other suites use too. */
const prefix = `roles_${process.pid}`;
const database = prefix;

/** The page's SQL gets a password and names for this test only. */
const readme = await readFile(new URL('../../k8s/README.md', import.meta.url), 'utf8');
const [asAdministrator = '', asOwner = ''] = [...readme.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, block = '']) =>
  block.replaceAll('artist_watch', prefix).replaceAll('…', 'password'),
);

function urlOf(role: string): string {
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = 'password';
  url.pathname = `/${database}`;
  return url.href;
}

async function run(sql: string, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // CREATE DATABASE cannot run in a transaction, as several statements in one query would.
    for (const statement of sql.split(';\n').filter(Boolean)) await client.query(statement);
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  await run(asAdministrator, databaseUrl);
  await run(asOwner, urlOf(`${prefix}_owner`));
});
afterAll(async () => {
  await pool.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  for (const role of ['1', 'rows', 'owner']) await pool.query(`DROP ROLE IF EXISTS ${prefix}_${role}`);
});

test('the services deliver with the limited database role from k8s/README.md, which cannot create tables', async () => {
  await migrate(urlOf(`${prefix}_owner`));
  const receiver = await startReceiver();
  onEnd(() => receiver.close());
  const stack = await startStackProcess({
    args: ['--seed', 'empty'],
    env: { DATABASE_URL: urlOf(`${prefix}_1`), REDIS_URL: redisUrl },
  });
  try {
    const { apiUrl, apiKey, ingestUrl, ingestToken } = await stack.state();
    await callJson('POST', `${apiUrl}/artists`, apiKey, { platform_id: '4711' });
    await callJson('POST', `${apiUrl}/destinations`, apiKey, { url: receiver.url });
    await callJson('POST', `${ingestUrl}/changes`, ingestToken, { changes: [reportedRemoval('roles')] });
    await receiver.waitFor(1, 30_000);
  } finally {
    expect(await stack.stop()).toBe(0);
  }
  await expect(run('CREATE TABLE x ()', urlOf(`${prefix}_1`))).rejects.toThrow('permission denied for schema public');
});
