import { fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type PoolerManner, startPooler } from '@artist-watch/harness/pooler';
import { createEmptyDatabase, useSuite } from '@artist-watch/harness/suite';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { reachDatabase } from '@artist-watch/persistence/database/reach-database';
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestCli } from '../cli/run-cli.js';

const { databaseUrl, redisUrl, keyPrefix, onEnd } = await useSuite();

async function through(manner: PoolerManner, url = databaseUrl): Promise<string> {
  const pooler = await startPooler(url, manner);
  onEnd(() => pooler.close());
  return pooler.url;
}

function reachAt(url: string): Promise<void> {
  const database = openDatabase({ url, poolSize: 2, applicationName: 'test' });
  onEnd(() => database.close());
  return reachDatabase(database, url);
}

const place = String.raw`PostgreSQL at 127\.0\.0\.1:\d+ \(DATABASE_URL\)`;
const sentenceOf = (fate: string, details: string) =>
  `${place} cannot be used: what a session asks for at its start is ${fate} on the way \\(${details}\\), ` +
  'as by a pooler such as PgBouncer, so connect to PostgreSQL itself\\.';

test('a database is used directly, and through a pooler that passes on what a session asks for', async () => {
  await reachAt(databaseUrl);
  await reachAt(await through('passes on'));
});

test('a pooler that drops what a session asks for is told with every setting that is not as it should be', async () => {
  const url = await createEmptyDatabase();
  await alter(url, `timezone = 'America/New_York'`);
  await expect(reachAt(await through('drops', url))).rejects.toThrow(
    'TimeZone is America/New_York in place of UTC, cpu_tuple_cost is 0.01 in place of 0.1, ' +
      'idle_in_transaction_session_timeout is 0 in place of 10000, random_page_cost is 4 in place of 1.1, ' +
      'seq_page_cost is 1 in place of 4, statement_timeout is 0 in place of 30000',
  );
});

test('a pooler that drops it does no harm where the database itself has it', async () => {
  const url = await createEmptyDatabase();
  await alter(url, 'random_page_cost = 1.1', 'seq_page_cost = 4', 'cpu_tuple_cost = 0.1');
  await alter(url, `timezone = 'UTC'`, `statement_timeout = '30s'`, `idle_in_transaction_session_timeout = '10s'`);
  await reachAt(await through('drops', url));
});

test('what the address sets itself is not held against the database', async () => {
  const own = new URL(databaseUrl);
  own.searchParams.set('options', '-c random_page_cost=2 --seq-page-cost=2');
  own.searchParams.set('statement_timeout', '1234');
  await reachAt(own.href);
});

test('a database that is away is told as away', async () => {
  await expect(reachAt('postgres://127.0.0.1:9/x')).rejects.toThrow(
    'PostgreSQL at 127.0.0.1:9 (DATABASE_URL) cannot be reached: connection refused.',
  );
});

const manners: [PoolerManner, string][] = [
  ['refuses', sentenceOf('refused', 'unsupported startup parameter: \\w+')],
  ['drops', sentenceOf('dropped', '.*statement_timeout is 0 in place of \\d+')],
];

describe.each(manners)('behind a pooler that %s what a session asks for', (manner, sentence) => {
  test.each(['api', 'change-ingest', 'webhook-worker'])(
    '%s does not start, and says why in one sentence',
    async (name) => {
      const main = fileURLToPath(import.meta.resolve(`@artist-watch/${name}/main`));
      const env = {
        DATABASE_URL: await through(manner),
        REDIS_URL: redisUrl,
        REDIS_KEY_PREFIX: keyPrefix,
        ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
        EGRESS_PROXY_URLS: 'http://127.0.0.1:9',
        INGEST_TOKEN: 'the-token-of-ingest-in-these-tests',
        PLATFORM_URL: 'http://127.0.0.1:9',
        ...{ API_PORT: '0', INGEST_PORT: '0', OPS_PORT: '0', LISTEN_HOST: '127.0.0.1', LOG_LEVEL: 'error' },
      };
      const child = fork(main, { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
      onEnd(() => child.kill('SIGKILL'));
      // One that starts is told to stop.
      child.once('message', () => child.kill('SIGINT'));
      const [stderr, [code]] = await Promise.all([
        text(child.stderr as NonNullable<typeof child.stderr>),
        once(child, 'exit'),
      ]);
      expect(stderr).toMatch(new RegExp(`^${name}: ${sentence}\n$`));
      expect(code).toBe(1);
    },
    60_000,
  );

  test('a command says why it cannot be done, and the doctor what is to be mended', async () => {
    const cli = createTestCli({ DATABASE_URL: await through(manner) });
    expect(await cli.refusal('change', 'show', '--id', 'x')).toMatch(new RegExp(`^${sentence}\n$`));
    const { stdout } = await cli.run('doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: readonly { check: string; state: string; found: string }[] };
    const reachable = checks.find(({ check }) => check === 'database.reachable');
    expect(reachable).toMatchObject({ state: 'fault', found: expect.stringMatching(new RegExp(`^${sentence}$`)) });
  });
});

async function alter(url: string, ...settings: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const setting of settings) {
    await client.query(`ALTER DATABASE ${client.escapeIdentifier(client.database ?? '')} SET ${setting}`);
  }
  await client.end();
}
