import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { sampleChange } from '@artist-watch/contracts/change-examples';
import { webhookBody } from '@artist-watch/contracts/webhook-payload';
import { useSuite } from '@artist-watch/harness/suite';
import { sign } from '@artist-watch/webhook-signature';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { cliEnvironment } from './run-cli.js';

const main = fileURLToPath(new URL('../../../tools/cli/dist/main.js', import.meta.url));

let env: NodeJS.ProcessEnv;
let directory: string;
beforeAll(async () => {
  env = { PATH: process.env.PATH, ...(await cliEnvironment()) };
  directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-cli-'));
  const { onEnd } = await useSuite();
  onEnd(() => rm(directory, { recursive: true }));
});

function start(
  ...args: string[]
): ChildProcess & { stdout: NonNullable<ChildProcess['stdout']>; stderr: NonNullable<ChildProcess['stderr']> } {
  return spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(...args: string[]) {
  const child = start(...args);
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, exitCode };
}

test('a successful command prints one JSON document, nothing on stderr, and exits with 0', async () => {
  const { stdout, stderr, exitCode } = await run('account', 'create', '--name', 'Label', '--plan', 'free', '--json');
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(JSON.parse(stdout)).toMatchObject({ name: 'Label', plan: 'free' });
});

test('a failed command prints one sentence on stderr, nothing on stdout, and exits with 1', async () => {
  expect(await run('delivery', 'show', '--id', 'dlv_0', '--json')).toEqual({
    stdout: '',
    stderr: 'There is no such delivery.\n',
    exitCode: 1,
  });
});

describe('verify', () => {
  const secret = 'a secret with spaces';
  const body = '{"event":"change.confirmed","name":"Ågætis"}';
  const signedAt = 1_700_000_000;

  async function verify(changes: { body?: string; header?: string; secret?: string; now?: number } = {}) {
    const file = path.join(directory, 'body.json');
    await writeFile(file, changes.body ?? body);
    const header = changes.header ?? sign({ body, secret, timestamp: signedAt });
    const { stdout, stderr, exitCode } = await run(
      ...['verify', '--secret', changes.secret ?? secret, '--header', header, '--body-file', file],
      ...['--now', String(changes.now ?? signedAt + 299), '--json'],
    );
    return { ...JSON.parse(stdout), stderr, exitCode };
  }

  test('a correct signature is valid', async () => {
    expect(await verify()).toEqual({ valid: true, reason: null, stderr: '', exitCode: 0 });
  });

  test.each([
    [{ now: signedAt + 300 }, 'timestamp_too_old'],
    [{ now: signedAt - 300 }, 'timestamp_in_future'],
    [{ body: `${body}\n` }, 'signature_mismatch'],
    [{ secret: 'another secret!!' }, 'signature_mismatch'],
    [{ header: 't=1700000000' }, 'missing_signature'],
  ])('a webhook is invalid if it is checked with %j, and the exit code is 1', async (changes, reason) => {
    expect(await verify(changes)).toEqual({ valid: false, reason, stderr: '', exitCode: 1 });
  });

  test('a file that cannot be read gives no result', async () => {
    const { stdout, stderr } = await run('verify', '--secret', 'x', '--header', 'x', '--body-file', '/nowhere');
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'The file /nowhere cannot be read (ENOENT).\n' });
  });
});

describe('receiver', () => {
  async function startReceiver(...options: string[]) {
    const child = start('receiver', '--port', '0', ...options);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const [greeting] = (await once(createInterface({ input: child.stderr }), 'line')) as [string];
    return {
      url: greeting.replace('Listening on ', ''),
      nextLine: async () => (await lines.next()).value as string,
      async stop() {
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        return (await exited)[0] as number;
      },
    };
  }

  const secret = 'secret-of-receiver';
  const body = webhookBody(sampleChange('chg_1', new Date(1_700_000_000_000)));

  function post(url: string, signature: string | undefined) {
    return fetch(`${url}webhooks?x=1`, {
      method: 'POST',
      body,
      headers: {
        'Content-Type': 'application/json',
        Connection: 'close',
        'X-Service-Event': 'change.confirmed',
        'X-Service-Delivery': 'dlv_1',
        'X-Service-Attempt': '2',
        ...(signature === undefined ? {} : { 'X-Service-Signature': signature }),
      },
    });
  }

  const now = () => Math.floor(Date.now() / 1000);

  test('the receiver prints each request and whether its signature is valid, as JSON lines', async () => {
    const receiver = await startReceiver('--secret', secret, '--json');
    const good = sign({ body, secret, timestamp: now() });
    expect((await post(receiver.url, good)).status).toBe(204);
    expect(JSON.parse(await receiver.nextLine())).toEqual({
      at: expect.stringMatching(/Z$/),
      method: 'POST',
      path: '/webhooks?x=1',
      event: 'change.confirmed',
      delivery_id: 'dlv_1',
      attempt: 2,
      signature: good,
      valid: true,
      reason: null,
      status: 204,
      body: JSON.parse(body),
    });
    await post(receiver.url, sign({ body, secret: 'another secret!!', timestamp: now() }));
    expect(JSON.parse(await receiver.nextLine())).toMatchObject({ valid: false, reason: 'signature_mismatch' });
    await post(receiver.url, undefined);
    expect(JSON.parse(await receiver.nextLine())).toMatchObject({ valid: false, reason: 'missing_header' });
    expect(await receiver.stop()).toBe(0);
  });

  test('the receiver does not start with an empty secret, because anyone could sign with it', async () => {
    const { exitCode, stderr } = await run('receiver', '--port', '0', '--secret', '');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The secret is empty. Omit --secret')]);
  });

  test('the receiver accepts both secrets during a rotation', async () => {
    const receiver = await startReceiver('--secret', 'the-present-secret', '--secret', secret, '--json');
    await post(receiver.url, sign({ body, secret, timestamp: now() }));
    expect(JSON.parse(await receiver.nextLine())).toMatchObject({ valid: true });
    await receiver.stop();
  });

  test('the receiver prints readable lines, responds as its options say, and checks nothing without a secret', async () => {
    const receiver = await startReceiver('--status', '503', '--delay', '20ms');
    expect((await post(receiver.url, 't=1,v1=x')).status).toBe(503);
    expect(await receiver.nextLine()).toMatch(
      /^\S+Z {2}POST \/webhooks\?x=1 {2}dlv_1 attempt 2 {2}info release_added "Sample Release" by Sample Artist {2}signature not checked {2}response 503$/,
    );
    await receiver.stop();
  });

  test('the receiver stops at once while a request waits for its response', async () => {
    const receiver = await startReceiver('--delay', '10m', '--json');
    const unanswered = expect(post(receiver.url, undefined)).rejects.toThrow('fetch failed');
    await receiver.nextLine();
    expect(await receiver.stop()).toBe(0);
    await unanswered;
  });

  test('a port in use is reported in one sentence', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    expect(await run('receiver', '--port', port)).toEqual({
      stdout: '',
      stderr: `Port ${port} (--port) is already in use.\n`,
      exitCode: 1,
    });
    await receiver.stop();
  });
});

test('a reader that closes the pipe ends a long list without an error', async () => {
  const { pool } = await useSuite();
  const { stdout } = await run('account', 'create', '--name', 'Label', '--plan', 'business', '--json');
  const { id } = JSON.parse(stdout);
  await pool.query(
    `INSERT INTO api_keys (id, account_id, secret_sha256, hint, created_at)
     SELECT 'key_' || n, $1, sha256(n::text::bytea), repeat('x', 200), now() FROM generate_series(1, 5000) n`,
    [id],
  );
  const child = start('key', 'list', '--account', id);
  const stderr = text(child.stderr);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [exitCode] = await once(child, 'exit');
  expect({ exitCode, stderr: await stderr }).toEqual({ exitCode: 0, stderr: '' });
});
