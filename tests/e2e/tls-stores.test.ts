import { openDatabase } from '@artist-watch/persistence/database/database';
import { migrate } from '@artist-watch/persistence/migration/migrate';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callJson, reportedRemoval } from '../harness/json-calls.js';
import { startReceiver } from '../harness/receiver.js';
import { failToStartStack, startStackProcess } from '../harness/stack-process.js';
import { startTlsStores, type TlsStores } from '../harness/tls-stores.js';

let stores: TlsStores;
let verified: string;

beforeAll(async () => {
  stores = await startTlsStores();
  verified = `${stores.databaseUrl}?sslmode=verify-full&sslrootcert=${stores.authorityFile}`;
  await migrate(verified);
});
afterAll(() => stores?.stop());

async function withDatabase<Result>(
  options: { readonly url: string; readonly responseTimeoutMs?: number },
  use: (database: ReturnType<typeof openDatabase>) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase({ poolSize: 3, applicationName: 'test', ...options });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

describe('a PostgreSQL that accepts only TLS', () => {
  test('a PostgreSQL that accepts only TLS returns results of any length, through the driver and through Prisma', () =>
    withDatabase({ url: verified }, async ({ pool, prisma }) => {
      const { rows } = await pool.query('SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      expect(rows).toEqual([{ ssl: true, version: 'TLSv1.3' }]);
      const lengths = [0, 65_536, 300_000, 2_500_000];
      const answers = await Promise.all(
        lengths.map((length) => pool.query<{ text: string }>(`SELECT repeat('y', $1) AS text`, [length])),
      );
      expect(answers.map((answer) => answer.rows[0]?.text.length)).toEqual(lengths);
      expect(await (await prisma()).account.count()).toBe(0);
    }));

  test('after a missing response, PostgreSQL is queried over a new TLS connection', () =>
    withDatabase({ url: verified, responseTimeoutMs: 500 }, async ({ pool }) => {
      await expect(pool.query('SELECT pg_sleep(60)')).rejects.toThrow('PostgreSQL sent nothing for 500 ms.');
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    }));

  test.each([
    ['with a certificate of an unknown authority', '?sslmode=verify-full', 'unable to verify the first certificate'],
    ['without TLS', '', 'no encryption'],
  ])('a PostgreSQL that accepts only TLS rejects a login %s', (_name, parameters, reason) =>
    withDatabase({ url: `${stores.databaseUrl}${parameters}` }, (database) =>
      expect(database.ping()).rejects.toThrow(reason),
    ),
  );
});

describe('the whole system on a PostgreSQL and a Redis that accept only TLS', () => {
  test('a system whose PostgreSQL and Redis accept only TLS delivers a change and returns it in the API', async () => {
    const receiver = await startReceiver();
    const stack = await startStackProcess({
      args: ['--seed', 'empty'],
      env: {
        DATABASE_URL: `${stores.databaseUrl}?sslmode=verify-full`,
        NODE_EXTRA_CA_CERTS: stores.authorityFile,
        REDIS_URL: stores.redisUrl,
      },
    });
    try {
      const state = await stack.state();
      await callJson('POST', `${state.apiUrl}/artists`, state.apiKey, { platform_id: '4711' });
      await callJson('POST', `${state.apiUrl}/destinations`, state.apiKey, { url: receiver.url });
      await callJson('POST', `${state.ingestUrl}/changes`, state.ingestToken, { changes: [reportedRemoval('tls')] });
      await receiver.waitFor(1, 30_000);
      expect(await callJson('GET', `${state.apiUrl}/changes`, state.apiKey)).toMatchObject({
        data: [{ type: 'release_removed', entity_name: 'Night Drive' }],
      });
      expect(stack.output()).not.toContain('starting an embedded server');
      const dashboard = ['dashboard', 'dashboard-writes'];
      expect(await servicesConnected()).toEqual(['api', 'api-writes', 'change-ingest', ...dashboard, 'webhook-worker']);
    } finally {
      expect(await stack.stop()).toBe(0);
      await receiver.close();
    }
  });

  test('a system that cannot verify a certificate does not start, and reports the reason', async () => {
    const { code, output } = await failToStartStack({
      env: { DATABASE_URL: `${stores.databaseUrl}?sslmode=verify-full` },
    });
    expect(code).toBe(1);
    expect(output).toMatch(
      /PostgreSQL at 127\.0\.0\.1:\d+ \(DATABASE_URL\) cannot be reached: unable to verify the first certificate\./,
    );
  });
});

/** The server accepts only TLS connections. */
function servicesConnected(): Promise<string[]> {
  return withDatabase({ url: verified }, async ({ pool }) => {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
        WHERE ssl AND datname = current_database() AND application_name <> 'test' ORDER BY name`,
    );
    return rows.map(({ name }) => name);
  });
}
