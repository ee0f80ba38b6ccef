import { fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { findPgbouncer, startPgbouncer } from '@artist-watch/harness/pgbouncer';
import { createEmptyDatabase, useSuite } from '@artist-watch/harness/suite';
import { accountStore } from '@artist-watch/persistence/account/store';
import { type DatabaseOptions, openDatabase } from '@artist-watch/persistence/database/database';
import { reachDatabase } from '@artist-watch/persistence/database/reach-database';
import { migrate } from '@artist-watch/persistence/migration/migrate';
import { newId } from '@artist-watch/runtime/ids';
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestCli } from '../cli/run-cli.js';
import { start } from './given.js';

const { databaseUrl, redisUrl, keyPrefix, onEnd } = await useSuite();
const program = findPgbouncer();

function open(url: string, options: Partial<DatabaseOptions> = {}) {
  const database = openDatabase({ url, poolSize: 2, applicationName: 'test', ...options });
  onEnd(() => database.close());
  return database;
}

async function through(settings: Readonly<Record<string, string | number>>, url = databaseUrl): Promise<string> {
  const pgbouncer = await startPgbouncer(program ?? '', url, settings);
  onEnd(() => pgbouncer.stop());
  return pgbouncer.url;
}

async function settingsOf(client: Pick<pg.ClientBase, 'query'>): Promise<string> {
  const { rows } = await client.query<{ said: string }>(
    `SELECT string_agg(name || ' ' || setting, ', ' ORDER BY name COLLATE "C") AS said FROM pg_settings WHERE name IN
       ('TimeZone', 'cpu_tuple_cost', 'idle_in_transaction_session_timeout', 'lock_timeout', 'random_page_cost',
        'seq_page_cost', 'statement_timeout')`,
  );
  return rows[0]?.said ?? '';
}

const place = String.raw`PostgreSQL at 127\.0\.0\.1:\d+ \(DATABASE_URL\)`;

test('an unavailable database is reported with its address and the reason', async () => {
  await expect(reachDatabase(open('postgres://127.0.0.1:9/x'), 'postgres://127.0.0.1:9/x')).rejects.toThrow(
    'PostgreSQL at 127.0.0.1:9 (DATABASE_URL) cannot be reached: connection refused.',
  );
});

const withPgbouncer = program === undefined ? describe.skip : describe;

withPgbouncer('behind a PgBouncer that pools sessions', () => {
  test('behind a session pooler, a session has our settings and leaves none to the next session', async () => {
    const server = await createEmptyDatabase();
    const name = new URL(server).pathname.slice(1);
    await open(server).pool.query(`ALTER DATABASE ${name} SET timezone = 'America/New_York'`);
    const url = await through({ pool_mode: 'session', default_pool_size: 1 }, server);
    await Promise.all([migrate(url), migrate(url)]);

    const ours = openDatabase({ url, applicationName: 'test', poolSize: 1, lockTimeoutMs: 1_000 });
    expect(await settingsOf(ours.pool)).toBe(
      'TimeZone UTC, cpu_tuple_cost 0.1, idle_in_transaction_session_timeout 10000, lock_timeout 1000, ' +
        'random_page_cost 1.1, seq_page_cost 4, statement_timeout 30000',
    );
    const { id } = await accountStore(ours).create({ id: newId('acc', start), name: 'x', plan: 'free', now: start });
    const stored = await ours.pool.query('SELECT created_at FROM accounts WHERE id = $1', [id]);
    expect(stored.rows).toEqual([{ created_at: start }]);
    await ours.close();

    const next = new pg.Client({ connectionString: url });
    await next.connect();
    expect(await settingsOf(next)).toMatch(/^TimeZone America\/New_York, cpu_tuple_cost 0\.01, .*statement_timeout 0$/);
    await next.end();
  });

  test('behind a pooler, a caller without a free connection gets an error within the connection timeout', async () => {
    const url = await through({ pool_mode: 'session', default_pool_size: 2 });
    await reachDatabase(open(url), url);
    await expect(open(url, { connectTimeoutMs: 300 }).ping()).rejects.toThrow('PostgreSQL sent nothing for 300 ms.');
  });

  test('a database URL with its own parameters is rejected by a pooler, and the error says what to do', async () => {
    const own = new URL(await through({ pool_mode: 'session' }));
    own.searchParams.set('options', '-c work_mem=9MB');
    await expect(reachDatabase(open(own.href), own.href)).rejects.toThrow(
      /a connection pooler rejects a parameter in DATABASE_URL \(.*options.*\); remove it from the URL\.$/,
    );
  });
});

withPgbouncer('behind a PgBouncer that pools transactions', () => {
  const sentence =
    `${place} cannot be used: a connection pooler shares one server connection between sessions; set it to session ` +
    String.raw`pooling \(PgBouncer: pool_mode = session\), or connect to PostgreSQL directly\.`;

  test.each(['api', 'change-ingest', 'webhook-worker'])(
    'behind a transaction pooler, %s does not start, and names the reason in one sentence',
    async (name) => {
      const main = fileURLToPath(import.meta.resolve(`@artist-watch/${name}/main`));
      const env = {
        DATABASE_URL: await through({ pool_mode: 'transaction' }),
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
      // The service may start unexpectedly.
      child.once('message', () => child.kill('SIGINT'));
      const [stderr, [code]] = await Promise.all([
        text(child.stderr as NonNullable<typeof child.stderr>),
        once(child, 'exit'),
      ]);
      expect(stderr).toMatch(new RegExp(`^${name}: ${sentence}\n$`));
      expect(code).toBe(1);
    },
  );

  test('a transaction pooler is detected even if many pools connect at the same time', async () => {
    const url = await through({ pool_mode: 'transaction' });
    const pools = Array.from({ length: 12 }, () => open(url));
    const reached = await Promise.allSettled(pools.map((pool) => reachDatabase(pool, url)));
    expect(reached.map(({ status }) => status)).toEqual(pools.map(() => 'rejected'));
  });

  test('behind a transaction pooler, a migration does not start, and names the reason in one sentence', async () => {
    const main = fileURLToPath(new URL('../../../packages/persistence/dist/migrate-main.js', import.meta.url));
    const env = { DATABASE_URL: await through({ pool_mode: 'transaction' }, await createEmptyDatabase()) };
    const child = fork(main, { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    onEnd(() => child.kill('SIGKILL'));
    const [stderr, [code]] = await Promise.all([
      text(child.stderr as NonNullable<typeof child.stderr>),
      once(child, 'exit'),
    ]);
    expect(stderr).toMatch(new RegExp(`^Migration failed: ${sentence}\n$`));
    expect(code).toBe(1);
  });

  test('behind a transaction pooler, a command and the doctor name the reason and what to do', async () => {
    const cli = createTestCli({ DATABASE_URL: await through({ pool_mode: 'transaction' }) });
    expect(await cli.refusal('change', 'show', '--id', 'x')).toMatch(new RegExp(`^${sentence}\n$`));
    const { stdout } = await cli.run('doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: readonly { check: string; state: string; found: string }[] };
    const reachable = checks.find(({ check }) => check === 'database.reachable');
    expect(reachable).toMatchObject({ state: 'fault', found: expect.stringMatching(new RegExp(`^${sentence}$`)) });
  });
});
