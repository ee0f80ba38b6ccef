import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ReadyState } from '@artist-watch/local-stack/stack/ready-file';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reportedRemoval } from '../harness/json-calls.js';
import { type Receiver, startReceiver } from '../harness/receiver.js';
import { type ScriptedProxy, startScriptedProxy } from '../harness/scripted-proxy.js';
import { type StackProcess, startStackProcess } from '../harness/stack-process.js';
import { until } from '../harness/until.js';

const services = ['api', 'change-ingest', 'webhook-worker', 'egress-proxy'] as const;

/** Each secret contains its name, so that a failure shows which one leaked. */
const random = (what: string) => `${what}-${randomBytes(16).toString('hex')}`;

const known = {
  encryptionKey: randomBytes(32).toString('base64'),
  retiredKey: randomBytes(32).toString('base64'),
  ingestToken: random('ingest'),
  wrongToken: random('wrong-token'),
  wrongKey: `aw_live_${randomBytes(24).toString('base64url')}`,
  chosenSecret: random('chosen signing secret'),
  destinationToken: random('token-in-the-address'),
  idempotencyKey: random('idempotency'),
  requestBody: random('body-of-a-request'),
  nameInBody: random('name-in-a-body'),
  answerBody: random('body-of-an-answer'),
  proxyPassword: random('proxy'),
  databasePassword: random('database'),
  redisPassword: random('redis'),
  spotifySecret: random('spotify'),
  otlpCredential: random('otlp'),
} as const;

/** API keys, signing secrets and signatures appear during the test. */
const found = new Map<string, string>(Object.entries(known));
const printed: string[] = [];

let stack: StackProcess;
let state: ReadyState;
let receiver: Receiver;
let proxy: ScriptedProxy;
let garbage: Server;

beforeAll(async () => {
  proxy = await startScriptedProxy();
  receiver = await startReceiver();
  garbage = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (request) => socket.end(`HTTP/1.1 ${request.toString('latin1')}`));
  });
  await new Promise<void>((resolve) => garbage.listen(0, '127.0.0.1', resolve));
  stack = await startStackProcess({
    args: ['--restart', '--seed', 'empty'],
    env: {
      LOG_LEVEL: 'debug',
      ENCRYPTION_KEY: known.encryptionKey,
      ENCRYPTION_KEYS_RETIRED: known.retiredKey,
      INGEST_TOKEN: known.ingestToken,
      WEBHOOK_RETRY_DELAYS: '100ms,100ms',
      WEBHOOK_SWITCH_OFF_AFTER: '1000000',
      POLL_INTERVAL_FACTOR: '0.002',
      SPOTIFY_CLIENT_SECRET: known.spotifySecret,
    },
  });
  state = await stack.state();
  found.set('apiKey', state.apiKey);
  found.set('embedded database password', new URL(state.databaseUrl).password);
});
afterAll(async () => {
  await stack?.stop();
  await Promise.all([receiver?.close(), proxy?.close(), new Promise((resolve) => garbage?.close(resolve))]);
});

interface Call {
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

async function api(method: string, where: string, { key = state.apiKey, headers = {}, body }: Call = {}) {
  const answer = await fetch(`${state.apiUrl}${where}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const answered = await answer.text();
  const json = (answered === '' ? {} : JSON.parse(answered)) as Record<string, unknown>;
  for (const secret of [json.secret, json.next_secret]) {
    if (typeof secret === 'string') found.set(`secret shown by ${method} ${where} (${found.size})`, secret);
  }
  return json;
}

function report(change: Record<string, unknown>, token: string = known.ingestToken): Promise<Response> {
  return fetch(`${state.ingestUrl}/changes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      changes: [
        reportedRemoval('secrecy-1', {
          artist_name: known.nameInBody,
          entity_name: known.nameInBody,
          summary: known.nameInBody,
          ...change,
        }),
      ],
    }),
  });
}

interface Run {
  /** The service is stopped when this returns true. */
  readonly until?: (addresses: Readonly<Record<string, number>>) => Promise<boolean>;
  /** The service loads this module source first. */
  readonly preload?: string;
}

/** Several services run at the same time. */
const freePorts = { API_PORT: '0', INGEST_PORT: '0', EGRESS_PORT: '0', OPS_PORT: '0' };

/** Runs a service until it ends, and returns its output. */
async function runService(service: (typeof services)[number], env: Record<string, string>, run: Run = {}) {
  const main = fileURLToPath(import.meta.resolve(`@artist-watch/${service}/main`));
  const child = fork(main, {
    env: { ...state.env, ...freePorts, LOG_LEVEL: 'debug', ...env },
    execArgv: run.preload === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(run.preload)}`],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  const closed = once(child, 'close');
  try {
    const observed = run.until;
    if (observed) {
      const started = once(child, 'message');
      const ready = await Promise.race([started, closed.then(() => undefined)]);
      if (ready === undefined) throw new Error(`${service} did not start:\n${output}`);
      await until(`the expected output of ${service}`, () => observed(ready[0].addresses), 60_000);
      child.kill('SIGINT');
    }
    await closed;
  } finally {
    // The service may have started although it should have failed.
    child.kill('SIGKILL');
    await closed;
    printed.push(output);
  }
  return output;
}

/** Loading the services takes longer than their failure. */
async function fourAtOnce(runs: readonly (() => Promise<string>)[]): Promise<string[]> {
  const [left, outputs] = [[...runs], [] as string[]];
  const next = async (): Promise<void> => {
    const run = left.shift();
    if (run === undefined) return;
    outputs.push(await run());
    await next();
  };
  await Promise.all([next(), next(), next(), next()]);
  return outputs;
}

/** The error reads its secret from the environment, because its stack trace quotes this source. */
function crashOnceReady(how: string): string {
  return `
    const { send } = process;
    process.send = (message, ...rest) => {
      if (message.type === 'ready') setTimeout(() => {
        const password = process.env.CRASH_PASSWORD;
        const error = Object.assign(new Error(process.env.CRASH_TEXT), { config: { password } });
        ${how};
      });
      return send.call(process, message, ...rest);
    };`;
}

async function everythingPrinted(): Promise<string> {
  const files = await readdir(state.logsDirectory);
  const logs = await Promise.all(files.map((file) => readFile(path.join(state.logsDirectory, file), 'utf8')));
  // The local stack's output for the person who started it is not a log. It shows the API key on purpose.
  return [...logs, ...printed].join('\n');
}

/** A log could contain a secret in plain text, JSON, a URL, a header, or an encoding. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Except for the first and last characters, base64 text is the same at each of three offsets.
  const inBase64 = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const core = text.slice(offset === 0 ? 0 : 4).replace(/.{0,3}={0,2}$/, '');
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const forms = [
    ...[secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), encodeURI(secret)],
    ...[secret.replaceAll(' ', '+'), bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...inBase64],
  ];
  return [...new Set(forms)].filter((form) => form.length >= 12);
}

async function leaks(): Promise<string[]> {
  const text = await everythingPrinted();
  return [...found].flatMap(([what, secret]) =>
    formsOf(secret).flatMap((form) => {
      const at = text.indexOf(form);
      return at < 0 ? [] : [`${what}: …${text.slice(Math.max(0, at - 200), at + form.length + 20)}…`];
    }),
  );
}

test('only the first X-Forwarded-For from an untrusted peer is logged', async () => {
  for (const address of ['203.0.113.1', '203.0.113.2']) {
    await api('GET', '/usage', { headers: { 'X-Forwarded-For': address } });
  }
  const log = path.join(state.logsDirectory, 'api-1.log');
  const lines = async () => (await readFile(log, 'utf8')).split('\n');
  await until(
    'both requests in the log',
    async () => (await lines()).filter((line) => line.includes('/v1/usage')).length > 1,
  );
  expect((await lines()).filter((line) => line.includes('forwarded_for.untrusted'))).toEqual([
    expect.stringContaining('"level":"warn"'),
  ]);
});

describe('no secret reaches a log', () => {
  test('the search finds secrets in text that contains them', async () => {
    const credentials = `user:${known.proxyPassword}`;
    const planted = [
      credentials,
      Buffer.from(credentials).toString('base64'),
      Buffer.from(credentials).toString('base64url'),
      Buffer.from(credentials).toString('hex'),
      encodeURIComponent(credentials),
      JSON.stringify(JSON.stringify({ credentials })),
    ];
    for (const text of planted) {
      printed.push(text);
      const found = await leaks();
      printed.pop();
      expect([text, [...new Set(found.map((leak) => leak.split(':')[0]))]]).toEqual([text, ['proxyPassword']]);
    }
  });

  test('no secret is logged for valid and invalid requests of customers', async () => {
    await api('POST', '/artists', { body: { platform_id: '4711' } });
    await api('GET', '/usage', { key: known.wrongKey });
    await api('GET', `/usage?api_key=${state.apiKey}&token=${known.wrongToken}`);
    await api('GET', `/${known.wrongKey}`);
    await api('GET', '/usage', {
      headers: { Authorization: `Basic ${Buffer.from(`u:${known.wrongToken}`).toString('base64')}` },
    });
    await api('POST', '/destinations', { body: `{"url": "${known.requestBody}` });
    await api('POST', '/destinations', {
      body: { url: `https://user:${known.requestBody}@example.com/`, secret: known.requestBody },
    });
    await api('POST', '/tools/lookup', { body: { input: known.requestBody } });
    await api('POST', '/tools/reverse', { body: { isrc: known.requestBody } });
    await api('GET', `/changes?since=${known.requestBody}&cursor=${known.requestBody}`);

    const url = `${receiver.url}/${known.destinationToken}?token=${known.destinationToken}`;
    const headers = { 'Idempotency-Key': known.idempotencyKey };
    const generated = await api('POST', '/destinations', { headers, body: { url, secret: 'generate' } });
    await api('POST', '/destinations', { headers, body: { url, secret: 'generate' } });
    await api('POST', '/destinations', { headers, body: { url: known.requestBody } });
    await api('POST', '/destinations', { body: { url, secret: known.chosenSecret } });
    await api('POST', '/destinations', {
      body: { url: `http://127.0.0.1:${(garbage.address() as AddressInfo).port}/` },
    });
    await api('POST', `/destinations/${generated.id}/rotate-secret`);
    await api('POST', `/destinations/${generated.id}/activate-secret`);
    await api('POST', `/destinations/${generated.id}/test`);
    expect([...found.keys()].filter((what) => what.startsWith('secret shown')).length).toBeGreaterThanOrEqual(3);
    expect(await leaks()).toEqual([]);
  });

  test('no secret is logged for valid and invalid reports of another detector', async () => {
    expect((await report({}, known.wrongToken)).status).toBe(401);
    expect((await report({ type: known.requestBody })).status).toBe(400);
    expect((await report({})).status).toBe(202);
    expect((await report({ entity_name: `${known.nameInBody} too` })).status).toBe(409);
    expect(await leaks()).toEqual([]);
  });

  test('no secret is logged if receivers send back everything that they received', async () => {
    receiver.answerWith((request) => {
      const echo = `${known.answerBody} ${JSON.stringify(request.headers)} ${request.body}`;
      return {
        status: 500,
        headers: { 'X-Echo': echo.replace(/[^\x20-\x7e]/g, ''), 'X-Egress-Error': known.answerBody },
        body: echo,
      };
    });
    const before = receiver.requests.length;
    await report({ external_id: 'secrecy-2' });
    await receiver.waitFor(before + 4, 60_000);
    for (const { headers, body } of receiver.requests) {
      const signature = headers['x-service-signature'];
      if (signature) found.set(`signature ${signature}`, /v1=([0-9a-f]+)/.exec(signature)?.[1] ?? '');
      found.set('body of a webhook', body.toString('utf8'));
    }
    expect([...found.keys()].some((what) => what.startsWith('signature'))).toBe(true);
    await until('their settlement', async () => (await everythingPrinted()).includes('"statusCode":500'));
    expect(await leaks()).toEqual([]);
  });

  test('no secret is logged if proxies reject the credentials and send them back', async () => {
    const address = proxy.url.replace('//', `//proxy-user:${known.proxyPassword}@`);
    const credentials = Buffer.from(`proxy-user:${known.proxyPassword}`).toString('base64');
    proxy.reactWith({
      status: 407,
      headers: {
        'X-Egress-Error': `refused Basic ${credentials}`,
        'X-Squid-Error': `${address} 0`,
        'Proxy-Authenticate': 'Basic',
      },
      body: `${credentials} ${address}`,
    });
    // The stack's workers compete for the jobs. With many jobs, this worker gets some of them.
    let reported = 0;
    await runService(
      'webhook-worker',
      { EGRESS_PROXY_URLS: `${address},http://proxy-user:${known.proxyPassword}@127.0.0.1:1`, OPS_PORT: '0' },
      {
        until: async () => {
          if (proxy.connects.length > 0) return true;
          reported += 1;
          await report({ external_id: `secrecy-proxy-${reported}` });
          return false;
        },
      },
    );
    const polls = proxy.connects.length;
    let watched = 0;
    await runService(
      'change-ingest',
      { PLATFORM_PROXY_URL: address, PLATFORM_URL: 'https://127.0.0.1:9', OPS_PORT: '0', INGEST_PORT: '0' },
      {
        async until() {
          watched += 1;
          await api('POST', '/artists', { body: { platform_id: String(10_000 + watched) } });
          return proxy.connects.length > polls;
        },
      },
    );
    const lookups = proxy.connects.length;
    await runService(
      'api',
      {
        EGRESS_PROXY_URLS: address,
        PLATFORM_PROXY_URL: address,
        PLATFORM_URL: 'https://127.0.0.1:9',
        API_PORT: '0',
        OPS_PORT: '0',
      },
      {
        async until({ api: port }) {
          await fetch(`http://127.0.0.1:${port}/v1/tools/lookup`, {
            method: 'POST',
            headers: { Authorization: `Bearer ${state.apiKey}`, 'Content-Type': 'application/json' },
            body: JSON.stringify({ input: `https://link.deezer.com/s/${known.requestBody}` }),
          });
          return proxy.connects.length > lookups;
        },
      },
    );
    expect(await leaks()).toEqual([]);
  });

  test('no secret is logged by a service that does not start', async () => {
    const database = (host: string) =>
      `postgres://aw:${known.databasePassword}@${host}/aw?sslpassword=${known.databasePassword}`;
    const server = new URL(state.databaseUrl).host;
    const runs: (() => Promise<string>)[] = [];
    const run = (...how: Parameters<typeof runService>) => runs.push(() => runService(...how));
    for (const service of services) {
      const mistakes = {
        ENCRYPTION_KEY: known.requestBody,
        ENCRYPTION_KEYS_RETIRED: `${known.retiredKey},${known.requestBody}`,
        INGEST_TOKEN: '',
        EGRESS_PROXY_URLS: `ftp://u:${known.proxyPassword}@proxy:3128,${known.proxyPassword}`,
        PLATFORM_PROXY_URL: `u:${known.proxyPassword}@proxy`,
        OPS_PORT: 'wrong',
      };
      run(service, { ...mistakes, DATABASE_URL: known.databasePassword, REDIS_URL: `:${known.redisPassword}@redis` });
      if (service === 'egress-proxy') continue;
      run(service, { DATABASE_URL: database(server) });
      run(service, { DATABASE_URL: database('127.0.0.1:1') });
      run(service, { DATABASE_URL: `mysql://aw:${known.databasePassword}@h/db` });
    }
    for (const service of ['change-ingest', 'webhook-worker'] as const) {
      run(service, { REDIS_URL: `redis://:${known.redisPassword}@127.0.0.1:1` });
      run(service, { REDIS_URL: `rediss://aw:${known.redisPassword}@127.0.0.1:1` });
      // ioredis logs a warning, because this Redis requires no password.
      const redis = new URL(state.redisUrl);
      redis.password = known.redisPassword;
      run(service, { REDIS_URL: redis.href }, { until: async () => true });
    }
    await fourAtOnce(runs);
    expect(await leaks()).toEqual([]);
  });

  test('no secret is logged by a service that crashes with secrets in its error', async () => {
    const { databasePassword, redisPassword, wrongKey, proxyPassword } = known;
    const env = {
      CRASH_PASSWORD: databasePassword,
      CRASH_TEXT:
        `postgres://aw:${databasePassword}@h/db?sslpassword=${databasePassword} redis://:a/${redisPassword}@r ` +
        `Bearer ${wrongKey} http://u:${proxyPassword}@p`,
    };
    const runs = services.flatMap((service) =>
      ['throw error', 'Promise.reject(error)'].map(
        (how) => () => runService(service, env, { preload: crashOnceReady(how) }),
      ),
    );
    for (const output of await fourAtOnce(runs)) expect(output).toMatch(/"event":"process\.crashed"/);
    expect(await leaks()).toEqual([]);
  });

  test('no secret is logged if the collector rejects traces and sends them back', async () => {
    let exports = 0;
    const collector = createServer(async (request, response) => {
      exports += 1;
      const body = await text(request);
      response.writeHead(401, { 'Content-Type': 'text/plain' }).end(`${JSON.stringify(request.headers)} ${body}`);
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const { port: collectorPort } = collector.address() as AddressInfo;
    try {
      const output = await runService(
        'api',
        {
          OTEL_EXPORTER_OTLP_ENDPOINT: `http://otlp:${known.otlpCredential}@127.0.0.1:${collectorPort}`,
          OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${known.otlpCredential},x-otlp-token=${known.otlpCredential}`,
          OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
          OTEL_BSP_SCHEDULE_DELAY: '50',
          API_PORT: '0',
          OPS_PORT: '0',
        },
        {
          async until({ api: port }) {
            await fetch(`http://127.0.0.1:${port}/v1/usage?token=${known.wrongToken}`, {
              headers: { Authorization: `Bearer ${state.apiKey}` },
            });
            return exports > 0;
          },
        },
      );
      expect(output).toContain('tracing.trouble');
    } finally {
      collector.closeAllConnections();
      await new Promise((resolve) => collector.close(resolve));
    }
    expect(await leaks()).toEqual([]);
  });

  test('no secret is logged if PostgreSQL and Redis are killed under load', async () => {
    const { postgres, redis } = state.pids;
    if (postgres === null || redis === null) throw new Error('The stack did not start its own servers.');
    process.kill(redis, 'SIGKILL');
    process.kill(postgres, 'SIGKILL');
    await Promise.all([
      api('GET', '/changes'),
      api('POST', '/destinations', { body: { url: receiver.url } }),
      report({ external_id: 'secrecy-3' }),
    ]).catch(() => undefined);
    await until('the API to respond again', async () => (await fetch(`${state.opsUrls.api[0]}/readyz`)).ok);
    await until(
      'the reported change',
      async () => (await report({ external_id: 'secrecy-4' }).catch(() => undefined))?.status === 202,
    );
    expect(await leaks()).toEqual([]);
  });

  test('every service has logged at every level', async () => {
    const text = await everythingPrinted();
    for (const service of services) expect(text).toContain(`"service":"${service}"`);
    for (const level of ['debug', 'info', 'warn', 'error']) expect(text).toContain(`"level":"${level}"`);
  });
});
