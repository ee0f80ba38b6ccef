import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sampleChange } from '@artist-watch/contracts/change-examples';
import { webhookBody } from '@artist-watch/contracts/webhook-payload';
import { until } from '@artist-watch/harness/until';
import { sign, verify } from '@artist-watch/webhook-signature';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram } from './k8s/find-program.js';

const examples = fileURLToPath(new URL('../../docs/receivers/examples/', import.meta.url));
const timeoutMs = 180_000;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-receivers-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

interface Language {
  readonly name: string;
  readonly program: string;
  /** Compiles the receiver if needed. */
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
      // Disable optimizations, which halves the CPU time if Go's standard library has to be compiled too.
      const args = ['build', '-gcflags=all=-N -l', '-o', binary, 'receiver.go'];
      await promisify(execFile)(program, args, { cwd: examples, env });
      return [binary];
    },
  },
  {
    name: 'Java',
    program: 'java',
    // The JIT's second compiler costs more CPU time than it saves within one second.
    command: async (program) => [program, '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', 'Receiver.java'],
  },
  { name: 'PHP', program: 'php', command: async (program) => [program, 'receiver.php'] },
  { name: 'Ruby', program: 'ruby', command: async (program) => [program, 'receiver.rb'] },
];

const now = () => Math.floor(Date.now() / 1000);
const bodyOf = (changeId: string) =>
  webhookBody({ ...sampleChange(changeId, new Date(0)), entityName: 'Ågætis byrjun – “日本語” 🎧' });
const body = bodyOf('chg_1');

interface Vector {
  readonly name: string;
  readonly header: string | null;
  readonly body?: string;
  readonly body_base64?: string;
  readonly valid: boolean;
  readonly reason?: string;
  /** True if one second decides the result, which cannot be tested against a running clock. */
  readonly edge?: boolean;
}

interface Vectors {
  readonly now: number;
  readonly secrets: readonly string[];
  readonly body: string;
  readonly vectors: readonly Vector[];
}

const file = JSON.parse(
  await readFile(fileURLToPath(new URL('../../docs/receivers/vectors.json', import.meta.url)), 'utf8'),
) as Vectors;
const { vectors } = file;
const [present, next] = file.secrets as [string, string];

function bytesOf(vector: Vector): Buffer {
  if (vector.body_base64 !== undefined) return Buffer.from(vector.body_base64, 'base64');
  return Buffer.from(vector.body ?? file.body);
}

/** Shifts the header's time, because a receiver uses this machine's clock. */
function asOf(at: number, { header }: Vector): string | undefined {
  if (header === null) return undefined;
  const later = (text: string) => text.replace(/\d{10,}/, (seconds) => String(Number(seconds) + at - file.now));
  const signedTimes = [...header.matchAll(/t=([^,\s]*)/gi)].map(([, t = '']) => t).concat(String(file.now));
  const digest = (secret: string, t: string) => createHmac('sha256', secret).update(`${t}.${file.body}`).digest('hex');
  const resigned = (hex: string) => {
    for (const secret of [...file.secrets, '', ' ']) {
      const t = signedTimes.find((time) => digest(secret, time).startsWith(hex.slice(0, 64).toLowerCase()));
      if (t === undefined) continue;
      const renewed = digest(secret, later(t)).slice(0, hex.length) + hex.slice(64);
      return hex === hex.toLowerCase() ? renewed : renewed.toUpperCase();
    }
    return hex;
  };
  return header
    .split(',')
    .map((part) => (/t=/i.test(part) ? later(part) : part.replace(/[0-9a-f]{32,}/i, resigned)))
    .join(',');
}

test.each(vectors)('the package gives the expected result for the shared vector: $name', (vector) => {
  const check = () => verify({ header: vector.header, body: bytesOf(vector), secret: file.secrets, now: file.now });
  if (vector.valid) expect(check()).toEqual({ timestamp: expect.any(Number) });
  else expect(check).toThrow(expect.objectContaining({ reason: vector.reason }));
  if (vector.header !== null) expect(asOf(file.now, vector)).toBe(vector.header);
});

let changes = 1;
const newBody = () => bodyOf(`chg_${++changes}`);

let deliveries = 0;
const newDelivery = () => `dlv_${++deliveries}`;

describe.each(languages)('the receiver in $name', ({ program, command }) => {
  const found = findProgram(program);
  // Languages that are not installed are skipped.
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
      // A rotation has two secrets. Empty ones come from a template with an unset variable.
      env: { ...process.env, TMPDIR: directory, PORT: '0', SIGNING_SECRETS: `,${present},, ,${next},` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (receiver.stdout) createInterface(receiver.stdout).on('line', (line) => printed.push(line));
    await until('the receiver to listen', () => printed.some((line) => line.startsWith('listening on ')), timeoutMs);
    port = Number(printed[0]?.split(' ').at(-1));
    // PHP's server starts only with the first request.
    await until('the receiver to respond', () => post(body, undefined).catch(() => false), timeoutMs);
  }, timeoutMs);
  afterAll(async () => {
    if (receiver === undefined) return;
    receiver.kill();
    if (receiver.exitCode === null && receiver.signalCode === null) await once(receiver, 'exit');
  });

  /** Returns the response status. */
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

  check(
    'the receiver accepts a signed request and processes each change only once, regardless of X-Service-Delivery',
    async () => {
      const before = printed.length;
      const [one, another] = [newBody(), newBody()];
      const signature = signed(present, now(), one);
      expect(await post(one, signature)).toBe(204);
      expect(await post(one, signature)).toBe(204);
      expect(await post(one, signed(next, now() - 1, one), newDelivery())).toBe(204);
      expect(await post(another, signed(present, now(), another))).toBe(204);
      await until('both changes to be processed', () => printed.length >= before + 2);
      expect(printed.slice(before)).toEqual(
        [one, another].map((text) => `received ${JSON.parse(text).change_id} release_added`),
      );
    },
  );

  check.each(['', '  ', ',', ' , ', undefined])('the receiver does not start with the secrets %j', async (secrets) => {
    const [file = '', ...args] = run;
    const { SIGNING_SECRETS: _unset, ...env } = process.env;
    const starting = promisify(execFile)(file, args, {
      cwd: examples,
      env: { ...env, PORT: '0', ...(secrets === undefined ? {} : { SIGNING_SECRETS: secrets }) },
    });
    await expect(starting).rejects.toMatchObject({
      stderr: expect.stringContaining('SIGNING_SECRETS contains no secret'),
    });
  });

  check.each(['no JSON', '{"change_id":"chg_cut', '[]', 'null', '7', '"text"', '{}', '{"change_id":7}', '\u00ff{', ''])(
    'the receiver responds to the signed body %j with 400 and keeps running',
    async (text) => {
      expect(await post(text, signed(present, now(), text))).toBe(400);
      expect(await post(body, signed())).toBe(204);
    },
  );

  check('the receiver responds to a signed body of brackets with 400 and keeps running', async () => {
    const text = '['.repeat(60_000);
    expect(await post(text, signed(present, now(), text))).toBe(400);
    expect(await post(body, signed())).toBe(204);
  });

  check('the receiver serves other senders while a hundred stop in the middle of their bodies', async () => {
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

  check('the receiver accepts and rejects the shared vectors as expected, and keeps running', async () => {
    const { change_id: id } = JSON.parse(file.body);
    const handedOn = () => printed.filter((line) => line.includes(id));
    // All these requests report the same change.
    for (const vector of vectors.filter(({ edge }) => !edge)) {
      const status = await post(bytesOf(vector), asOf(now(), vector));
      expect(`${vector.name}: ${status}`).toBe(`${vector.name}: ${vector.valid ? 204 : 400}`);
    }
    await until('the change to be processed', () => handedOn().length > 0);
    expect(handedOn()).toEqual([`received ${id} release_added`]);
    expect(await post(body, signed())).toBe(204);
  });

  check('the receiver rejects a body of one megabyte and keeps running', async () => {
    const bytes = 'x'.repeat(1 << 20);
    // The receiver may close the connection instead of reading the whole body.
    const status = await post(bytes, signed(present, now(), bytes)).catch((error: NodeJS.ErrnoException) => error.code);
    expect([400, 'EPIPE', 'ECONNRESET']).toContain(status);
    expect(await post(body, signed())).toBe(204);
  });
});

describe('the manual check', () => {
  const check = findProgram('openssl') === undefined || findProgram('bash') === undefined ? test.skip : test;
  const verify = async (secret: string, header: string) => {
    const file = path.join(directory, 'body.json');
    await writeFile(file, body);
    return promisify(execFile)('bash', [path.join(examples, 'verify.sh'), header, file], {
      env: { ...process.env, SIGNING_SECRET: secret },
    });
  };

  check('the manual check prints when a stored request was signed', async () => {
    const { stdout } = await verify(present, sign({ body, secret: present, timestamp: 1_795_071_068 }));
    expect(stdout.trim()).toBe('signed with this secret at 2026-11-19T06:51:08Z');
  });

  check('the manual check fails for a different secret', async () => {
    await expect(verify(next, sign({ body, secret: present, timestamp: 1_795_071_068 }))).rejects.toMatchObject({
      code: 1,
      stderr: 'not signed with this secret\n',
    });
  });
});
