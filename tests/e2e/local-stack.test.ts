import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isRunning } from '@artist-watch/local-stack/processes/process-identity';
import type { ReadyState } from '@artist-watch/local-stack/stack/ready-file';
import { imageCommand } from '@artist-watch/local-stack/stack/replicas/image-command';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { afterAll, describe, expect, test } from '@jest/globals';
import { startRelay } from '../harness/relay.js';
import {
  failToStartStack,
  onSuiteServers,
  type StackProcess,
  type StackProcessOptions,
  startStackProcess,
} from '../harness/stack-process.js';
import { until } from '../harness/until.js';

const timeoutMs = 180_000;

function pidsOf(state: ReadyState): number[] {
  return Object.values(state.pids)
    .flat()
    .filter((pid) => pid !== null);
}

async function usage(state: ReadyState): Promise<Response> {
  return fetch(`${state.apiUrl}/usage`, { headers: { Authorization: `Bearer ${state.apiKey}` } });
}

describe('a stack with --restart', () => {
  let stack: StackProcess;
  let state: ReadyState;
  afterAll(() => stack?.stop());

  test(
    'the stack writes all addresses to the ready file once everything is ready',
    async () => {
      stack = await startStackProcess({ args: ['--restart', '--seed', 'empty', '--workers', '2'] });
      state = await stack.state();
      expect(state.apiUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
      expect(state.apiUrls).toEqual([state.apiUrl]);
      expect(state.ingestUrl).toMatch(/\/ingest\/v1$/);
      expect(state.egressProxyUrls).toHaveLength(1);
      expect(state.pids.webhookWorker).toHaveLength(2);
      expect(pidsOf(state).every(isRunning)).toBe(true);
      for (const operations of Object.values(state.opsUrls).flat()) {
        expect((await fetch(`${operations}/readyz`)).status).toBe(200);
      }
      expect(await (await usage(state)).json()).toMatchObject({ plan: 'business', artists: { used: 0 } });
      expect((await fetch(`${state.platformControlUrl}/artists`)).status).toBe(200);
      expect((await fetch(`${state.dashboardUrl}/sign-in`)).status).toBe(200);
      const invitation = await until('the email to the owner', async () => {
        const mails = await fetch(`${state.mailboxUrl}/mails?to=${state.memberEmail}`);
        return ((await mails.json()) as { subject: string }[])[0];
      });
      expect(invitation.subject).toBe("You're invited to Local stack on Artist Watch");
      expect(state.env).toMatchObject({
        DATABASE_URL: state.databaseUrl,
        REDIS_URL: state.redisUrl,
        API_URL: state.apiUrl,
        API_KEY: state.apiKey,
      });
    },
    timeoutMs,
  );

  // Without /proc, the test cannot read the options of a process.
  (existsSync('/proc') ? test : test.skip)('the stack starts a service with the same Node options as its image', () => {
    const options = imageCommand('webhook-worker').options;
    expect(options).not.toEqual([]);
    for (const pid of state.pids.webhookWorker) {
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')).toEqual(expect.arrayContaining([...options]));
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')).toContain('MALLOC_ARENA_MAX=2');
    }
  });

  test.each([
    ...(['postgres', 'redis', 'api', 'changeIngest', 'webhookWorker', 'egressProxy', 'platformSimulator'] as const),
    ...(['dashboard', 'mailbox'] as const),
  ])(
    'the stack restarts a killed %s at the same address and updates the ready file',
    async (name) => {
      const before = await stack.state();
      const killed = [before.pids[name]].flat()[0] as number;
      process.kill(killed, 'SIGKILL');
      const after = await until(`another ${name}`, async () => {
        const now = await stack.state();
        return pidsOf(now).includes(killed) ? undefined : now;
      });
      expect(pidsOf(after).every(isRunning)).toBe(true);
      expect({ ...after, pids: undefined }).toEqual({ ...before, pids: undefined });
    },
    timeoutMs,
  );

  test('the stack still works after all restarts', async () => {
    await until('the API to respond', async () => (await usage(state)).status === 200);
  });

  test(
    'a stopped stack leaves no process and no ready file',
    async () => {
      const last = await stack.state();
      expect(await stack.stop()).toBe(0);
      expect(pidsOf(last).filter(isRunning)).toEqual([]);
    },
    timeoutMs,
  );
});

describe('two concurrent stacks, one with a data directory and one on a real platform', () => {
  let directory: string;
  let kept: StackProcess;
  let real: StackProcess;
  const keptArgs = () => ['--data', directory, '--dashboards', '0'];
  afterAll(async () => {
    await Promise.all([kept?.stop(), real?.stop()]);
    await rm(directory, { recursive: true, force: true });
  });

  test(
    'two concurrent stacks share no addresses and no data',
    async () => {
      directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-data-'));
      [kept, real] = await Promise.all([
        startStackProcess({ args: keptArgs() }),
        startStackProcess({ args: ['--real', '--dashboards', '0'] }),
      ]);
      const [one, other] = [await kept.state(), await real.state()];
      expect(one.apiUrl).not.toBe(other.apiUrl);
      expect(await (await usage(one)).json()).toMatchObject({ artists: { used: 3 } });
      expect((await usage({ ...one, apiKey: other.apiKey })).status).toBe(401);
    },
    timeoutMs,
  );

  test('a stack on a real platform starts no simulator and keeps the default intervals', async () => {
    const state = await real.state();
    expect(state).toMatchObject({ platform: 'deezer', platformUrl: null, platformControlUrl: null });
    expect(state.pids.platformSimulator).toBeNull();
    const paced = Object.keys(state.env).filter((name) => /^(PLATFORM_URL|SPOTIFY_|CONFIRM_|POLL_)/.test(name));
    expect(paced).toEqual([]);
    expect(await (await usage(state)).json()).toMatchObject({ artists: { used: 0 } });
  });

  test(
    'a killed stack leaves nothing behind, and the other stack keeps running',
    async () => {
      const state = await real.state();
      real.child.kill('SIGKILL');
      await until('all processes of the stack to end', () => pidsOf(state).every((pid) => !isRunning(pid)), 30_000);
      expect(
        await until(
          'the directory of the stack to be removed',
          async () => !(await exists(path.dirname(state.logsDirectory))),
        ),
      ).toBe(true);
      expect((await usage(await kept.state())).status).toBe(200);
    },
    timeoutMs,
  );

  test(
    'a stack locks its data directory and keeps its account and its database URLs between runs',
    async () => {
      const before = await kept.state();
      expect((await failToStartStack({ args: keptArgs() })).output).toBe(
        `local-stack: ${directory} is in use by another stack (process ${kept.child.pid}).\n`,
      );
      await kept.stop();
      kept = await startStackProcess({ args: keptArgs() });
      const after = await kept.state();
      expect([after.accountId, after.apiKey, after.ingestToken]).toEqual([
        before.accountId,
        before.apiKey,
        before.ingestToken,
      ]);
      expect((await usage(after)).status).toBe(200);
    },
    timeoutMs,
  );
});

describe('a stack on a custom platform', () => {
  test(
    'a stack on a custom platform reads an artist there, with a token from the custom accounts URL',
    async () => {
      const [spotify, requested] = [await startPlatformSimulator({ platform: 'spotify', seed: 1 }), [] as string[]];
      const accounts = await startRelay(spotify.url, () => ({
        fromClient: (bytes) => void requested.push(bytes.toString('latin1').split('\r\n')[0] ?? ''),
        fromServer: () => undefined,
      }));
      const stack = await startStackProcess({
        args: ['--dashboards', '0'],
        env: {
          ...(await onSuiteServers()),
          PLATFORM: 'spotify',
          PLATFORM_URL: spotify.url,
          SPOTIFY_ACCOUNTS_URL: accounts.url,
          SPOTIFY_CLIENT_ID: 'id',
          SPOTIFY_CLIENT_SECRET: 'secret',
        },
      });
      try {
        const state = await stack.state();
        expect(state).toMatchObject({ platformUrl: spotify.url, platformControlUrl: null });
        const [artist] = spotify.state.artists();
        const watched = await fetch(`${state.apiUrl}/artists`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${state.apiKey}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ platform_id: artist?.id }),
        });
        expect(watched.status).toBe(201);
        await until('a poll of the artist', async () => spotify.requests.counts().byPath[`/v1/artists/${artist?.id}`]);
        expect(new Set(requested)).toEqual(new Set(['POST /api/token HTTP/1.1']));
      } finally {
        await stack.stop();
        await accounts.close();
        await spotify.stop();
      }
    },
    timeoutMs,
  );
});

describe('a stack that cannot start ends with one sentence and exit code 1', () => {
  test(
    'a stack whose port is in use ends with one sentence and exit code 1',
    async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
      const { port } = server.address() as { port: number };
      try {
        const env = { ...(await onSuiteServers()), API_PORT: String(port) };
        expect(await failToStartStack({ env })).toEqual({
          code: 1,
          output: `local-stack: api: Port ${port} (API_PORT) is already in use.\n`,
        });
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    },
    timeoutMs,
  );

  test.each<[StackProcessOptions, RegExp]>([
    [
      { env: { WEBHOOK_TIMEOUT: 'soon' } },
      /^local-stack: webhook-worker: Invalid settings: WEBHOOK_TIMEOUT "soon" .*\n$/,
    ],
    [
      { env: { DATABASE_URL: 'postgres://127.0.0.1:1/none' } },
      /^local-stack: PostgreSQL at .* cannot be reached: .*\n$/,
    ],
    [{ args: ['--workers', 'many'] }, /^local-stack: --workers many is not a whole number .*\n$/],
    [
      { args: ['--real'], env: { PLATFORM: 'spotify' } },
      /^local-stack: (change-ingest|api|dashboard): PLATFORM=spotify requires SPOTIFY_CLIENT_ID .*\.\n$/,
    ],
    [{ args: ['--colour'] }, /^local-stack: Unknown option '--colour'\.\n$/],
  ])(
    'a stack with %j ends with one sentence and exit code 1, and leaves nothing behind',
    async (options, sentence) => {
      const temporary = await mkdtemp(path.join(tmpdir(), 'artist-watch-tmp-'));
      try {
        const env = { TMPDIR: temporary, ...options.env };
        const { code, output } = await failToStartStack({ ...options, env });
        expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(sentence) });
        expect(await readdir(temporary)).toEqual([]);
      } finally {
        await rm(temporary, { recursive: true, force: true });
      }
    },
    timeoutMs,
  );
});

async function exists(directory: string): Promise<boolean> {
  return readdir(directory).then(
    () => true,
    () => false,
  );
}
