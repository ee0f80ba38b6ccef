import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { webhookBody } from '@artist-watch/contracts/webhook-payload';
import { sampleChange } from '@artist-watch/contracts/webhook-sample';
import { until } from '@artist-watch/harness/until';
import { sign } from '@artist-watch/webhook-signature';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram } from './k8s/find-program.js';

const examples = fileURLToPath(new URL('../../docs/receivers/examples/', import.meta.url));
const timeoutMs = 180_000;
const present = 'whsec_present_secret_of_the_destination';
const next = 'whsec_next_secret_of_the_destination';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-receivers-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

interface Language {
  readonly name: string;
  readonly program: string;
  /** The command that serves, after whatever has to be compiled. */
  readonly command: (program: string) => Promise<readonly string[]>;
}

const languages: readonly Language[] = [
  { name: 'Node', program: 'node', command: async () => [process.execPath, 'receiver.mjs'] },
  { name: 'Python', program: 'python3', command: async (program) => [program, '-B', 'receiver.py'] },
  {
    name: 'Go',
    program: 'go',
    command: async (program) => {
      const binary = path.join(directory, 'receiver');
      const env = { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' };
      await promisify(execFile)(program, ['build', '-o', binary, 'receiver.go'], { cwd: examples, env });
      return [binary];
    },
  },
  { name: 'Java', program: 'java', command: async (program) => [program, 'Receiver.java'] },
];

const now = () => Math.floor(Date.now() / 1000);
const bodyOf = (changeId: string) =>
  webhookBody({ ...sampleChange(changeId, new Date(0)), entityName: 'Ågætis byrjun – “日本語” 🎧' });
const body = bodyOf('chg_1');

let changes = 1;
const newBody = () => bodyOf(`chg_${++changes}`);

let deliveries = 0;
const newDelivery = () => `dlv_${++deliveries}`;

/** What `sign` refuses to make, and anybody can. */
const signedWith = (key: string, timestamp: number, text: string) =>
  `t=${timestamp},v1=${createHmac('sha256', key).update(`${timestamp}.${text}`).digest('hex')}`;

describe.each(languages)('the receiver in $name', ({ program, command }) => {
  const found = findProgram(program);
  // A language that this machine does not have cannot be tried on it; Node is always there.
  const check = found === undefined ? test.skip : test;

  let run: readonly string[];
  let receiver: ChildProcess;
  let port: number;
  const printed: string[] = [];

  beforeAll(async () => {
    if (found === undefined) return;
    run = await command(found);
    const [file = '', ...args] = run;
    receiver = spawn(file, args, {
      cwd: examples,
      // As a rotation leaves it, and a template with a variable that is not set.
      env: { ...process.env, PORT: '0', SIGNING_SECRETS: `,${present},, ,${next},` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (receiver.stdout) createInterface(receiver.stdout).on('line', (line) => printed.push(line));
    await until('the receiver listens', () => printed.some((line) => line.startsWith('listening on ')), timeoutMs);
    port = Number(printed[0]?.split(' ').at(-1));
  }, timeoutMs);
  afterAll(async () => {
    if (receiver === undefined) return;
    receiver.kill();
    if (receiver.exitCode === null && receiver.signalCode === null) await once(receiver, 'exit');
  });

  /** Posts as the worker does. @returns the status of the answer. */
  async function post(bytes: string | Buffer, signature: string | undefined, delivery = newDelivery()) {
    const sent = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/webhooks',
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(bytes),
        'X-Service-Delivery': delivery,
        ...(signature === undefined ? {} : { 'X-Service-Signature': signature }),
      },
    });
    sent.end(bytes);
    const [answer] = await once(sent, 'response');
    answer.resume();
    return answer.statusCode as number;
  }
  const signed = (secret = present, timestamp = now(), bytes: string | Buffer = body) =>
    sign({ body: bytes, secret, timestamp });
  const digestOf = (header: string) => header.split('v1=')[1];

  check('takes a signed request, and hands one change on only once, whatever X-Service-Delivery says', async () => {
    const before = printed.length;
    const [one, another] = [newBody(), newBody()];
    const signature = signed(present, now(), one);
    expect(await post(one, signature)).toBe(204);
    expect(await post(one, signature)).toBe(204);
    expect(await post(one, signed(next, now() - 1, one), newDelivery())).toBe(204);
    expect(await post(another, signed(present, now(), another))).toBe(204);
    await until('both changes are handed on', () => printed.length >= before + 2);
    expect(printed.slice(before)).toEqual(
      [one, another].map((text) => `received ${JSON.parse(text).change_id} release_added`),
    );
  });

  check.each(['', '  ', ',', ' , ', undefined])('does not start with the secrets %j', async (secrets) => {
    const [file = '', ...args] = run;
    const { SIGNING_SECRETS: _unset, ...env } = process.env;
    const starting = promisify(execFile)(file, args, {
      cwd: examples,
      env: { ...env, PORT: '0', ...(secrets === undefined ? {} : { SIGNING_SECRETS: secrets }) },
    });
    await expect(starting).rejects.toMatchObject({
      stderr: expect.stringContaining('SIGNING_SECRETS holds no secret'),
    });
  });

  check.each(['no JSON', '{"change_id":"chg_cut', '[]', 'null', '7', '"text"', '{}', '{"change_id":7}', '\u00ff{', ''])(
    'answers the signed body %j with 400, and goes on',
    async (text) => {
      expect(await post(text, signed(present, now(), text))).toBe(400);
      expect(await post(body, signed())).toBe(204);
    },
  );

  check('answers a signed body of nothing but brackets with 400, and goes on', async () => {
    const text = '['.repeat(60_000);
    expect(await post(text, signed(present, now(), text))).toBe(400);
    expect(await post(body, signed())).toBe(204);
  });

  check('serves others while a hundred senders stop in the middle of their bodies', async () => {
    const slow = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const socket = connect({ port, host: '127.0.0.1' });
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf a bo');
        return socket;
      }),
    );
    expect(await post(body, signed())).toBe(204);
    for (const socket of slow) socket.destroy();
  });

  check('takes both secrets while they are rotated', async () => {
    expect(await post(body, signed(next))).toBe(204);
    expect(await post(body, `${signed('whsec_somebody_else')},v1=${digestOf(signed(next))}`)).toBe(204);
  });

  check('takes a timestamp of 290 seconds, either way, and spaces and unknown parts in the header', async () => {
    expect(await post(body, signed(present, now() - 290))).toBe(204);
    expect(await post(body, signed(present, now() + 290))).toBe(204);
    expect(await post(body, `v0=abc, ${signed().replace(',', ' , ')} ,x`)).toBe(204);
  });

  const t = now();
  check.each<[string, string | undefined, string | Buffer]>([
    ['no signature', undefined, body],
    ['an empty header', '', body],
    ['a header of nonsense', 'what=is,this', body],
    ['another secret', signed('whsec_somebody_else'), body],
    ['a signature with an empty key', signedWith('', t, body), body],
    ['a signature with a space for a key', signedWith(' ', t, body), body],
    ['another body', signed(), body.replace('release', 'Release')],
    ['a body with a space more', signed(), `${body} `],
    ['bytes that are no UTF-8', signed(), Buffer.concat([Buffer.from(body), Buffer.from([0xff])])],
    ['a timestamp of 300 seconds ago', signed(present, t - 300), body],
    ['a timestamp far ahead', signed(present, t + 900), body],
    ['a timestamp that is not the signed one', signed().replace(/t=\d+/, `t=${t - 100}`), body],
    ['two timestamps', `t=${t - 1},${signed()}`, body],
    ['no timestamp', `v1=${digestOf(signed())}`, body],
    ['a signed timestamp that is no number', signed().replace(/t=\d+/, 't=now'), body],
    ['a timestamp with a sign', signed().replace('t=', 't=+'), body],
    ['an upper-case digest', `t=${t},v1=${digestOf(signed(present, t))?.toUpperCase()}`, body],
    ['half a digest', signed().slice(0, -32), body],
    ['no digest', `t=${t},v1=`, body],
    ['a body of a megabyte', signed(present, t, 'x'.repeat(1 << 20)), 'x'.repeat(1 << 20)],
  ])('refuses %s', async (_what, signature, bytes) => {
    const before = printed.length;
    const good = newBody();
    // A receiver may hang up on a body that it does not want to read to its end.
    const status = await post(bytes, signature).catch((error: NodeJS.ErrnoException) => error.code);
    expect([400, 'EPIPE', 'ECONNRESET']).toContain(status);
    if (bytes.length < 1 << 16) expect(status).toBe(400);
    expect(await post(good, signed(present, now(), good))).toBe(204);
    await until('the good one is handed on', () => printed.length > before);
    expect(printed.length).toBe(before + 1);
  });
});

describe('the check by hand', () => {
  const check = findProgram('openssl') === undefined || findProgram('bash') === undefined ? test.skip : test;
  const verify = async (secret: string, header: string) => {
    const file = path.join(directory, 'body.json');
    await writeFile(file, body);
    return promisify(execFile)('bash', [path.join(examples, 'verify.sh'), header, file], {
      env: { ...process.env, SIGNING_SECRET: secret },
    });
  };

  check('says when a stored request was signed', async () => {
    const { stdout } = await verify(present, sign({ body, secret: present, timestamp: 1_795_071_068 }));
    expect(stdout.trim()).toBe('signed with this secret at 2026-11-19T06:51:08Z');
  });

  check('fails for another secret', async () => {
    await expect(verify(next, sign({ body, secret: present, timestamp: 1_795_071_068 }))).rejects.toMatchObject({
      code: 1,
      stderr: 'not signed with this secret\n',
    });
  });
});
