import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
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
const body = webhookBody({ ...sampleChange('chg_1', new Date(0)), entityName: 'Ågætis byrjun – “日本語” 🎧' });

let deliveries = 0;
const newDelivery = () => `dlv_${++deliveries}`;

describe.each(languages)('the receiver in $name', ({ program, command }) => {
  const found = findProgram(program);
  // A language that this machine does not have cannot be tried on it; Node is always there.
  const check = found === undefined ? test.skip : test;

  let receiver: ChildProcess;
  let port: number;
  const printed: string[] = [];

  beforeAll(async () => {
    if (found === undefined) return;
    const [file = '', ...args] = await command(found);
    receiver = spawn(file, args, {
      cwd: examples,
      env: { ...process.env, PORT: '0', SIGNING_SECRETS: `${present},${next}` },
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

  check('takes a signed request, and hands a repeated delivery on only once', async () => {
    const before = printed.length;
    const delivery = newDelivery();
    expect(await post(body, signed(), delivery)).toBe(204);
    expect(await post(body, signed(), delivery)).toBe(204);
    expect(await post(body, signed())).toBe(204);
    await until('both deliveries are handed on', () => printed.length >= before + 2);
    expect(printed.slice(before)).toEqual(['received chg_1 release_added', 'received chg_1 release_added']);
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
    // A receiver may hang up on a body that it does not want to read to its end.
    const status = await post(bytes, signature).catch((error: NodeJS.ErrnoException) => error.code);
    expect([400, 'EPIPE', 'ECONNRESET']).toContain(status);
    if (bytes.length < 1 << 16) expect(status).toBe(400);
    expect(await post(body, signed())).toBe(204);
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
