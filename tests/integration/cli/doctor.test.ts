import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { compose } from '@artist-watch/egress-proxy/compose';
import { readConfig } from '@artist-watch/egress-proxy/config';
import { createCertificate } from '@artist-watch/harness/certificates';
import { startRedisServers } from '@artist-watch/harness/redis-servers';
import { type ScriptedProxy, startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { createEmptyDatabase, useSuite } from '@artist-watch/harness/suite';
import type { Clock } from '@artist-watch/runtime/clock';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { cliEnvironment, createTestCli } from './run-cli.js';

interface Check {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'fault' | 'skipped';
  readonly found: string;
  readonly fix: string | null;
}

/** Redis and the egress proxy are real. */
let healthy: Record<string, string>;
let redisUrl: string;
let redis: Redis;

/** Only the egress proxy can resolve this name. */
const NAME_BEHIND_PROXY = 'platform.invalid';

beforeAll(async () => {
  const { onEnd } = await useSuite();
  redisUrl = await startOwnRedis(onEnd);
  redis = new Redis(redisUrl);
  onEnd(() => redis.quit());
  healthy = {
    ...(await cliEnvironment()),
    REDIS_URL: redisUrl,
    INGEST_TOKEN: 'the-token-of-ingest-in-these-tests',
    EGRESS_PROXY_URLS: await startEgressProxy(onEnd),
    PLATFORM_URL: await startPlatform(onEnd),
  };
});

beforeEach(async () => {
  await redis.config('SET', 'maxmemory-policy', 'noeviction', 'hz', '100', 'appendonly', 'yes', 'maxmemory', '0');
});

async function startOwnRedis(onEnd: (cleanup: () => unknown) => void): Promise<string> {
  const { urls, stop } = await startRedisServers(1);
  onEnd(stop);
  return urls[0] ?? '';
}

async function startEgressProxy(onEnd: (cleanup: () => unknown) => void): Promise<string> {
  const settings = { EGRESS_PORT: '0', OPS_PORT: '0', LISTEN_HOST: '127.0.0.1', LOG_LEVEL: 'error' };
  const config = readConfig({ ...settings, EGRESS_ALLOW_CIDRS: '127.0.0.0/8' });
  const resolve = async (name: string) => (name === NAME_BEHIND_PROXY ? ['127.0.0.1'] : []);
  const proxy = await compose(config, new AbortController().signal, { resolve });
  onEnd(() => proxy.stop(AbortSignal.abort()));
  return `http://127.0.0.1:${proxy.addresses.egress}`;
}

async function startPlatform(onEnd: (cleanup: () => unknown) => void): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onEnd(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function examine(changes: Record<string, string> = {}, clock?: Clock) {
  const { exitCode, stdout, stderr } = await createTestCli({ ...healthy, ...changes }, clock).run('doctor', '--json');
  expect(stderr).toBe('');
  const { healthy: isHealthy, checks } = JSON.parse(stdout) as { healthy: boolean; checks: readonly Check[] };
  expect(exitCode).toBe(isHealthy ? 0 : 1);
  return { isHealthy, checks };
}

/** All other checks ran and passed. */
async function failedChecks(changes: Record<string, string> = {}, clock?: Clock): Promise<Record<string, string>> {
  const { checks } = await examine(changes, clock);
  for (const { check, state, fix } of checks) {
    expect({ check, saysWhatToDo: fix !== null }).toEqual({
      check,
      saysWhatToDo: state === 'warning' || state === 'fault',
    });
  }
  return Object.fromEntries(
    checks.filter(({ state }) => state !== 'ok').map(({ check, state, found }) => [check, `${state}: ${found}`]),
  );
}

describe('a healthy system', () => {
  test('a healthy system has no faults, and every check runs', async () => {
    const { isHealthy, checks } = await examine();
    const proxy = `egress.${new URL(healthy.EGRESS_PROXY_URLS ?? '').host}`;
    expect(checks.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(isHealthy).toBe(true);
    expect(checks.map(({ check }) => check)).toEqual([
      ...['settings', 'database.reachable', 'redis.reachable'],
      ...['database.version', 'database.encoding', 'database.writable', 'database.connections', 'migrations'],
      ...['redis.version', 'redis.role', 'redis.eviction_policy', 'redis.hz', 'redis.persistence', 'redis.memory'],
      ...[`${proxy}.reachable`, `${proxy}.refuses_private`, `${proxy}.answers`],
      ...['platform', 'encryption_key', 'clock.machine', 'clock.redis'],
    ]);
  });

  test("the doctor's report is a readable list", async () => {
    const { exitCode, stdout } = await createTestCli(healthy).run('doctor');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ok {7}settings +\d+ settings are set\. None is wrong or missing\.$/m);
    expect(stdout).toMatch(/No faults found\.\n$/);
  });

  test("the doctor's report reveals no secret", async () => {
    const proxies = (healthy.EGRESS_PROXY_URLS ?? '').replace('//', '//user:hidden-password@');
    const { stdout } = await createTestCli({ ...healthy, EGRESS_PROXY_URLS: proxies }).run('doctor');
    expect(stdout).toContain('No faults found.');
    expect(stdout).not.toContain('hidden-password');
    expect(stdout).not.toContain(new URL(healthy.DATABASE_URL ?? '').password);
    expect(stdout).not.toContain(healthy.ENCRYPTION_KEY);
    expect(stdout).not.toContain('the-token-of-ingest-in-these-tests');
  });
});

describe('settings', () => {
  test('every invalid or missing setting is named, and the remaining checks still run', async () => {
    const found = await failedChecks({ WEBHOOK_TIMEOUT: 'soon', INGEST_TOKEN: '', ENCRYPTION_KEY: '' });
    expect(found).toEqual({
      'settings.WEBHOOK_TIMEOUT': expect.stringContaining('fault: WEBHOOK_TIMEOUT "soon" is not a duration'),
      'settings.INGEST_TOKEN': 'fault: INGEST_TOKEN is missing.',
      'settings.ENCRYPTION_KEY': 'fault: ENCRYPTION_KEY is missing.',
      encryption_key: 'skipped: ENCRYPTION_KEY is not set.',
    });
  });

  test('Spotify without credentials is a fault', async () => {
    expect(Object.keys(await failedChecks({ PLATFORM: 'spotify' }))).toEqual([
      'settings.SPOTIFY_CLIENT_ID',
      'settings.SPOTIFY_CLIENT_SECRET',
    ]);
  });
});

describe('the database', () => {
  test('an unreachable database is a fault and skips the checks that need it', async () => {
    const found = await failedChecks({ DATABASE_URL: `postgres://me:hidden@127.0.0.1:${await closedPort()}/none` });
    expect(found).toEqual({
      'database.reachable': expect.stringMatching(
        /^fault: PostgreSQL at 127\.0\.0\.1:\d+ \(DATABASE_URL\) cannot be reached: connection refused\.$/,
      ),
      database: expect.stringContaining('skipped'),
      migrations: expect.stringContaining('skipped'),
      encryption_key: expect.stringContaining('skipped'),
      clock: expect.stringContaining('skipped'),
    });
  });

  test('a database encoding that cannot store every name is a fault', async () => {
    const { pool, databaseUrl, onEnd } = await useSuite();
    const name = `doctor_${process.pid}_${Date.now()}`;
    await pool.query(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`);
    onEnd(() => pool.query(`DROP DATABASE ${name} WITH (FORCE)`));
    const url = new URL(databaseUrl);
    url.pathname = `/${name}`;
    expect(await failedChecks({ DATABASE_URL: url.href })).toMatchObject({
      'database.encoding': expect.stringContaining('fault: SQL_ASCII'),
    });
  });

  test('a read-only database is a fault', async () => {
    const url = new URL(healthy.DATABASE_URL ?? '');
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    expect(await failedChecks({ DATABASE_URL: url.href })).toEqual({
      'database.writable': expect.stringContaining('fault: The database is read-only'),
    });
  });

  test('too few connections for the replicas cause a warning', async () => {
    const ask = async (...replicas: string[]) => {
      const { stdout } = await createTestCli(healthy).run('doctor', '--json', '--replicas', ...replicas);
      const { checks } = JSON.parse(stdout) as { checks: readonly Check[] };
      return checks.find(({ check }) => check === 'database.connections_at_most');
    };
    expect(await ask('api=21,change-ingest=3,webhook-worker=63')).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(
        /^All replicas together use up to 750 connections \(api 21 x 10 \+ change-ingest 3 x 12 \+ webhook-worker 63 x 8\); \d+ are allowed\.$/,
      ),
      fix: expect.stringContaining('Raise max_connections to 760 or more'),
    });
    expect(await ask('api=2,webhook-worker=2x4')).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/^All replicas together use up to 28 connections/),
    });
    expect(await createTestCli(healthy).refusal('doctor', '--replicas', 'api=many')).toContain('webhook-worker=63x4');
  });

  test("connections of other roles are counted, although the services' role cannot see their details", async () => {
    const { pool } = await useSuite();
    const url = new URL(healthy.DATABASE_URL ?? '');
    const database = url.pathname.slice(1);
    url.username = `role_${database}`;
    url.password = 'password';
    await pool.query(`CREATE ROLE ${url.username} LOGIN PASSWORD 'password'`);
    await pool.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${url.username}`);
    await pool.query(`ALTER DATABASE ${database} CONNECTION LIMIT 12`);
    const held = await Promise.all([1, 2, 3, 4].map(() => pool.connect()));
    try {
      expect(await failedChecks({ DATABASE_URL: url.href })).toEqual({
        'database.connections': expect.stringMatching(/^warning: -?\d+ of 12 connections are free/),
      });
    } finally {
      for (const client of held) client.release();
      await pool.query(`ALTER DATABASE ${database} CONNECTION LIMIT -1`);
      await pool.query(`DROP OWNED BY ${url.username}`);
      await pool.query(`DROP ROLE ${url.username}`);
    }
  });

  test('a shortage of free connections causes a warning', async () => {
    const { pool } = await useSuite();
    const database = new URL(healthy.DATABASE_URL ?? '').pathname.slice(1);
    await pool.query(`ALTER DATABASE ${database} CONNECTION LIMIT 12`);
    try {
      expect(await failedChecks()).toEqual({
        'database.connections': expect.stringMatching(/^warning: -?\d+ of 12 connections are free/),
      });
    } finally {
      await pool.query(`ALTER DATABASE ${database} CONNECTION LIMIT -1`);
    }
  });
});

describe('migrations', () => {
  test('an index whose build failed is a warning, because a migration would treat it as present', async () => {
    const { pool } = await useSuite();
    await expect(
      pool.query('CREATE UNIQUE INDEX CONCURRENTLY half_made ON _prisma_migrations (applied_steps_count)'),
    ).rejects.toThrow('half_made');
    try {
      await pool.query('CREATE INDEX IF NOT EXISTS half_made ON _prisma_migrations (applied_steps_count)');
      expect(await failedChecks()).toEqual({ 'migrations.indexes': expect.stringMatching(/^warning: .* half_made\./) });
    } finally {
      await pool.query('DROP INDEX half_made');
    }
  });

  test('all migrations are missing in a new database', async () => {
    const found = await failedChecks({ DATABASE_URL: await createEmptyDatabase() });
    expect(found['migrations.missing']).toMatch(/^fault: \d{14}_\w+(, \d{14}_\w+)*\.$/);
  });

  test('missing, unknown, unfinished and altered migrations are distinguished', async () => {
    const { pool } = await useSuite();
    const names = (await pool.query('SELECT migration_name FROM _prisma_migrations ORDER BY started_at')).rows.map(
      ({ migration_name }) => migration_name as string,
    );
    const [first, last] = [names[0], names.at(-1)];
    const kept = await pool.query('SELECT * FROM _prisma_migrations');
    await pool.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [last]);
    await pool.query(`UPDATE _prisma_migrations SET checksum = 'other' WHERE migration_name = $1`, [first]);
    const add = `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ($1, 'x', $2, $3)`;
    await pool.query(add, ['doctor-1', '29990101000000_of_the_future', new Date()]);
    await pool.query(add, ['doctor-2', '29990102000000_broken_off', null]);
    try {
      expect(await failedChecks()).toEqual({
        'migrations.unfinished': 'fault: 29990102000000_broken_off.',
        'migrations.missing': `fault: ${last}.`,
        'migrations.unknown': 'fault: 29990101000000_of_the_future, 29990102000000_broken_off.',
        'migrations.altered': `fault: ${first}.`,
      });
    } finally {
      await pool.query('DELETE FROM _prisma_migrations');
      await pool.query(
        'INSERT INTO _prisma_migrations SELECT * FROM json_populate_recordset(NULL::_prisma_migrations, $1)',
        [JSON.stringify(kept.rows)],
      );
    }
  });
});

describe('Redis', () => {
  test.each([
    ['maxmemory-policy', 'allkeys-lru', 'redis.eviction_policy', 'fault: With allkeys-lru, a full Redis deletes jobs'],
    ['hz', '10', 'redis.hz', 'warning: With hz 10, retries start up to 100 ms late'],
    ['appendonly', 'no', 'redis.persistence', 'warning: Redis has no append-only file'],
    ['maxmemory', '1', 'redis.memory', 'fault: '],
  ])('the Redis setting %s %s is reported', async (name, value, check, expected) => {
    await redis.config('SET', name, value);
    const found = await failedChecks();
    expect(Object.keys(found)).toEqual([check]);
    expect(found[check]).toContain(expected);
  });

  test('a Redis that is a read-only replica is a fault', async () => {
    await redis.replicaof('127.0.0.1', await closedPort());
    try {
      expect(await failedChecks()).toMatchObject({ 'redis.role': 'fault: Redis is a replica and rejects writes.' });
    } finally {
      await redis.replicaof('NO', 'ONE');
    }
  });

  test('an unreachable Redis is a fault', async () => {
    expect(await failedChecks({ REDIS_URL: `redis://127.0.0.1:${await closedPort()}` })).toEqual({
      'redis.reachable': expect.stringContaining('cannot be reached'),
      redis: expect.stringContaining('skipped'),
    });
  });
});

describe('the mail server', () => {
  async function startServer(greeting: string) {
    const server = createTcpServer((socket) => socket.on('error', () => undefined).end(greeting));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { port, stop: () => new Promise((resolve) => server.close(resolve)) };
  }

  test('a mail server that sends a greeting is healthy', async () => {
    const { port, stop } = await startServer('220 mail.label.test ESMTP\r\n');
    try {
      const { checks } = await examine({ SMTP_URL: `smtp://user:hidden-password@127.0.0.1:${port}` });
      const found = checks.find(({ check }) => check === 'mail.greeting');
      expect(found).toMatchObject({ state: 'ok', found: `127.0.0.1:${port} responds: 220 mail.label.test ESMTP` });
    } finally {
      await stop();
    }
  });

  test('a mail server that cannot be reached, or does not speak SMTP, is a fault', async () => {
    expect(await failedChecks({ SMTP_URL: `smtp://127.0.0.1:${await closedPort()}` })).toEqual({
      'mail.greeting': expect.stringMatching(/^fault: 127\.0\.0\.1:\d+ cannot be reached: /),
    });
    const { port, stop } = await startServer('HTTP/1.1 400 Bad Request\r\n');
    try {
      expect(await failedChecks({ SMTP_URL: `smtp://127.0.0.1:${port}` })).toEqual({
        'mail.greeting': expect.stringContaining('is not a usable mail server'),
      });
    } finally {
      await stop();
    }
  });
});

describe('egress proxies', () => {
  async function troublesOfProxy(
    ...[reaction]: Parameters<ScriptedProxy['reactWith']>
  ): Promise<Record<string, string>> {
    const proxy = await startScriptedProxy();
    proxy.reactWith(reaction);
    try {
      const found = await failedChecks({ EGRESS_PROXY_URLS: `${healthy.EGRESS_PROXY_URLS},${proxy.url}` });
      return Object.fromEntries(
        Object.entries(found).map(([check, text]) => [check.replace(`egress.127.0.0.1:${proxy.port}.`, ''), text]),
      );
    } finally {
      await proxy.close();
    }
  }

  test('an unreachable proxy is a fault, even if another proxy is healthy', async () => {
    const port = await closedPort();
    expect(
      await failedChecks({ EGRESS_PROXY_URLS: `${healthy.EGRESS_PROXY_URLS},http://user:hidden@127.0.0.1:${port}` }),
    ).toEqual({
      [`egress.127.0.0.1:${port}.reachable`]: `fault: 127.0.0.1:${port} (EGRESS_PROXY_URLS) cannot be reached: connection refused.`,
    });
  });

  test('a proxy that opens a tunnel to a private address is a fault', async () => {
    expect(await troublesOfProxy({ status: 200 })).toEqual({
      refuses_private: expect.stringContaining('fault: The proxy opened a tunnel to 169.254.169.254'),
      answers: expect.stringContaining('fault: The proxy opened a tunnel to doctor.invalid:443'),
    });
  });

  test('a proxy that forbids only the metadata address is a fault', async () => {
    const refused = { status: 403, headers: { 'X-Egress-Error': 'forbidden_address' } };
    expect(
      await troublesOfProxy((authority) => (authority.startsWith('169.254.') ? refused : { status: 200 })),
    ).toEqual({
      refuses_private: expect.stringContaining('fault: The proxy opened a tunnel to 10.0.0.1'),
      answers: expect.stringContaining('fault'),
    });
  });

  test('a proxy that tries to reach a private address, and fails, is a fault', async () => {
    expect(await troublesOfProxy({ status: 504, headers: { 'X-Egress-Error': 'connection_timed_out' } })).toMatchObject(
      {
        refuses_private: expect.stringContaining('fault: The proxy tried to connect to 169.254.169.254'),
      },
    );
  });

  test('a proxy that requires other credentials is a fault', async () => {
    expect(await troublesOfProxy({ status: 407 })).toMatchObject({
      refuses_private: expect.stringContaining('fault: The proxy requires a user'),
    });
  });

  test('a proxy that closes the connection is a fault', async () => {
    expect(await troublesOfProxy('reset')).toEqual({
      refuses_private: expect.stringContaining('fault: The proxy closed the connection'),
      answers: expect.stringContaining('fault: The proxy closed the connection'),
    });
  });

  test('the refusals of Smokescreen and Squid are understood', async () => {
    const denied = "The destination address (169.254.169.254) was denied by rule 'Deny: Not Global Unicast'";
    expect(await troublesOfProxy({ status: 407, headers: { 'X-Smokescreen-Error': denied } })).toEqual({
      answers: expect.stringContaining('warning'),
    });
    expect(await troublesOfProxy({ status: 403, headers: { 'X-Squid-Error': 'ERR_ACCESS_DENIED 0' } })).toEqual({
      answers: expect.stringContaining('warning'),
    });
  });
});

describe('the platform', () => {
  test('a platform that does not respond is a fault, directly and through a proxy', async () => {
    const [port, proxy] = [await closedPort(), await startScriptedProxy()];
    const url = `http://127.0.0.1:${port}`;
    try {
      expect(await failedChecks({ PLATFORM_URL: url })).toEqual({
        platform: `fault: 127.0.0.1:${port} cannot be reached directly: connection refused.`,
      });
      expect(await failedChecks({ PLATFORM_URL: url, PLATFORM_PROXY_URL: proxy.url })).toEqual({
        platform: `fault: 127.0.0.1:${port} cannot be reached through 127.0.0.1:${proxy.port}: the proxy returned 502 (connection_refused).`,
      });
      expect(await failedChecks({ PLATFORM_PROXY_URL: proxy.url })).toEqual({});
    } finally {
      await proxy.close();
    }
  });

  test('a platform whose name only the proxy can resolve is called through the proxy', async () => {
    const proxyUrl = healthy.EGRESS_PROXY_URLS ?? '';
    const host = `${NAME_BEHIND_PROXY}:${new URL(healthy.PLATFORM_URL ?? '').port}`;
    const { checks } = await examine({ PLATFORM_URL: `http://${host}`, PLATFORM_PROXY_URL: proxyUrl });
    expect(checks.find(({ check }) => check === 'platform')).toMatchObject({
      state: 'ok',
      found: `${host} responds, through ${new URL(proxyUrl).host}.`,
    });
  });

  test('an untrusted certificate of the platform is reported, also through a proxy', async () => {
    const server = createTlsServer(await createCertificate(null, [NAME_BEHIND_PROXY]));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `${NAME_BEHIND_PROXY}:${(server.address() as AddressInfo).port}`;
    try {
      const proxyUrl = healthy.EGRESS_PROXY_URLS ?? '';
      expect(await failedChecks({ PLATFORM_URL: `https://${host}`, PLATFORM_PROXY_URL: proxyUrl })).toEqual({
        platform: expect.stringMatching(/^fault: .* cannot be reached through .*: .*self-signed certificate\.$/),
      });
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe('the encryption key', () => {
  test('the stored secrets show whether the encryption key is current, retired or lost', async () => {
    const cli = createTestCli(healthy);
    const account = await cli.json('account', 'create', '--name', 'Label', '--plan', 'business');
    await cli.json(
      'destination',
      'create',
      '--account',
      String(account.id),
      '--url',
      'http://127.0.0.1:9999/',
      '--secret',
      'generate',
    );
    expect(await failedChecks()).toEqual({});

    const another = Buffer.alloc(32, 7).toString('base64');
    expect(
      await failedChecks({ ENCRYPTION_KEY: another, ENCRYPTION_KEYS_RETIRED: healthy.ENCRYPTION_KEY ?? '' }),
    ).toEqual({
      encryption_key: 'warning: Some signing secrets are still encrypted with a retired key.',
    });
    expect(await failedChecks({ ENCRYPTION_KEY: another })).toEqual({
      encryption_key: expect.stringContaining('fault: Some stored signing secrets cannot be decrypted'),
    });
  });
});

describe('clocks', () => {
  test.each([
    [2_500, 'warning', 'ahead of'],
    [-2_500, 'warning', 'behind'],
    [60_000, 'fault', 'ahead of'],
    [-60_000, 'fault', 'behind'],
  ])('a clock that is off by %d ms is a %s', async (stepMs, state, direction) => {
    const stepped = { now: () => new Date(Date.now() + stepMs) };
    const found = await failedChecks({}, stepped);
    expect(Object.keys(found)).toEqual(['clock.machine']);
    expect(found['clock.machine']).toMatch(
      new RegExp(`^${state}: The clock of this machine is [\\d.]+ s ${direction} that of the database`),
    );
  });
});
