import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres } from '@artist-watch/local-stack/embedded-postgres';
import type { EmbeddedServer } from '@artist-watch/local-stack/processes/embedded-server';
import { openReaper, type Reaper } from '@artist-watch/local-stack/processes/reaper';
import { findRedis } from '@artist-watch/local-stack/redis/find-redis';
import { givenRedis } from '@artist-watch/local-stack/redis/given-redis';
import { startRedis } from '@artist-watch/local-stack/redis-server';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';

const timeoutMs = 180_000;

let directory: string;
let reaper: Reaper;
let servers: EmbeddedServer[];

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-servers-'));
  reaper = openReaper();
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await reaper.close();
  await rm(directory, { recursive: true, force: true });
});

async function postgres(options: { port?: number; settings?: Record<string, string> } = {}): Promise<EmbeddedServer> {
  const server = await startPostgres({
    directory: path.join(directory, 'postgres'),
    password: 'p@ss/word',
    logFile: path.join(directory, 'postgres.log'),
    database: 'kept',
    reaper,
    ...options,
  });
  servers.push(server);
  return server;
}

async function redis(port?: number): Promise<EmbeddedServer> {
  const server = await startRedis({
    program: await findRedis(() => undefined),
    directory: path.join(directory, 'redis'),
    logFile: path.join(directory, 'redis.log'),
    port,
    reaper,
  });
  servers.push(server);
  return server;
}

async function ask(server: EmbeddedServer, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return Object.values((await client.query(text)).rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

async function killed(server: EmbeddedServer): Promise<void> {
  const exit = new Promise((resolve) => server.onUnexpectedExit(resolve));
  process.kill(server.pid, 'SIGKILL');
  await exit;
}

describe('PostgreSQL', () => {
  test(
    'PostgreSQL requires a password, listens only on loopback, and keeps every committed row after a kill',
    async () => {
      const before = process.env.PGSSLMODE;
      // Settings of other servers in the environment must have no effect.
      process.env.PGSSLMODE = 'require';
      try {
        // The data directory's parent is accessible only to its owner.
        await chmod(directory, 0o700);
        const server = await postgres();
        expect(await ask(server, 'SELECT current_user::text')).toBe('postgres');
        expect(await ask(server, 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).toBe(false);
        expect(await ask(server, 'SHOW listen_addresses')).toBe('127.0.0.1');
        const stranger = new URL(server.url);
        stranger.password = 'guess';
        const client = new pg.Client({ connectionString: stranger.href });
        await expect(client.connect()).rejects.toMatchObject({ code: '28P01' });

        await ask(server, 'CREATE TABLE rows AS SELECT 42 AS answer');
        const { pid, port } = server;
        await killed(server);
        await server.restart();
        expect(server.port).toBe(port);
        expect(server.pid).not.toBe(pid);
        expect(await ask(server, 'SELECT answer FROM rows')).toBe(42);
      } finally {
        if (before === undefined) delete process.env.PGSSLMODE;
        else process.env.PGSSLMODE = before;
      }
    },
    timeoutMs,
  );

  test(
    'PostgreSQL reuses a directory, syncs it by default, and reports a port in use in one sentence',
    async () => {
      const first = await postgres();
      expect(await ask(first, 'SHOW fsync')).toBe('on');
      await ask(first, 'CREATE TABLE rows AS SELECT 42 AS answer');
      await first.stop();
      const { port } = await redis();
      await expect(postgres({ port })).rejects.toThrow(`Port ${port} for PostgreSQL is already in use.`);
      const second = await postgres({ settings: { fsync: 'off' } });
      expect(await ask(second, 'SELECT answer FROM rows')).toBe(42);
      expect(await ask(second, 'SHOW fsync')).toBe('off');
    },
    timeoutMs,
  );
});

describe('Redis', () => {
  test(
    'Redis never evicts, checks its timers a hundred times a second, and restarts empty on the same port',
    async () => {
      const server = await redis();
      const client = new Redis(server.url);
      client.on('error', () => undefined);
      try {
        expect(await client.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
        expect(await client.config('GET', 'hz')).toEqual(['hz', '100']);
        await client.set('key', 'value');
        await killed(server);
        await server.restart();
        expect(await client.get('key')).toBeNull();
      } finally {
        client.disconnect();
      }
    },
    timeoutMs,
  );

  test(
    'an existing Redis is shared without sharing data: each user claims an empty logical database',
    async () => {
      const { url } = await redis();
      const foreign = new Redis(url);
      await foreign.set('of', 'somebody else');
      const [one, other] = [await givenRedis(url), await givenRedis(url)];
      expect([one?.url, other?.url]).toEqual([`${url}/1`, `${url}/2`]);
      await one?.release();
      const next = await givenRedis(url);
      expect(next?.url).toBe(`${url}/1`);
      await Promise.all([other?.release(), next?.release()]);
      expect(await foreign.get('of')).toBe('somebody else');
      foreign.disconnect();
    },
    timeoutMs,
  );

  test('an existing Redis that does not respond is not used', async () => {
    expect(await givenRedis('redis://127.0.0.1:1')).toBeUndefined();
  });
});
