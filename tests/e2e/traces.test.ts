import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReadyState } from '@artist-watch/local-stack/stack/ready-file';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callJson, reportedRemoval } from '../harness/json-calls.js';
import { type Receiver, startReceiver } from '../harness/receiver.js';
import { type ScriptedProxy, startScriptedProxy } from '../harness/scripted-proxy.js';
import { onSuiteServers, type StackProcess, startStackProcess } from '../harness/stack-process.js';
import { type CollectedSpan, startTraceCollector, type TraceCollector } from '../harness/trace-collector.js';
import { until } from '../harness/until.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'vendor=1', baggage: 'customer=1' };
const ofTraces = ['traceparent', 'tracestate', 'baggage'];

/** The platform returns an error for every artist. */
async function startRecordingPlatform() {
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    response.writeHead(500, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, headers, server };
}

let collector: TraceCollector;
let platform: Awaited<ReturnType<typeof startRecordingPlatform>>;
let receiver: Receiver;
let stack: StackProcess;
let state: ReadyState;

beforeAll(async () => {
  [collector, platform, receiver] = await Promise.all([
    startTraceCollector(),
    startRecordingPlatform(),
    startReceiver({ script: (_request, index) => ({ status: index === 0 ? 503 : 204 }) }),
  ]);
  stack = await startStackProcess({
    args: ['--seed', 'empty', '--dashboards', '0'],
    env: {
      ...(await onSuiteServers()),
      ...tracing(collector),
      PLATFORM_URL: platform.url,
      WEBHOOK_RETRY_DELAYS: '200ms,200ms',
      POLL_INTERVAL_FACTOR: '0.001',
    },
  });
  state = await stack.state();
});
afterAll(async () => {
  await stack?.stop();
  await Promise.all([receiver?.close(), collector?.close(), new Promise((resolve) => platform?.server.close(resolve))]);
});

function tracing({ url }: TraceCollector): Record<string, string> {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_BSP_SCHEDULE_DELAY: '100' };
}

const call = (method: string, url: string, token: string, body?: object) => callJson(method, url, token, body, callers);

const report = (externalId: string, artist: string) =>
  call('POST', `${state.ingestUrl}/changes`, state.ingestToken, {
    changes: [reportedRemoval(externalId, { artist_platform_id: artist })],
  });

const spansNamed = (name: string) => collector.spans.filter((span) => span.name === name && span.traceId === traceId);
const requestsLinkedToCaller = () =>
  collector.spans.filter(({ name, links }) => name === 'GET /v1/changes' && links.includes(traceId));
const childOf = (parent: CollectedSpan | undefined) => (span: CollectedSpan) => span.parentSpanId === parent?.spanId;

async function logLines(): Promise<Record<string, unknown>[]> {
  const files = (await readdir(state.logsDirectory)).filter((file) => file.endsWith('.log'));
  const texts = await Promise.all(files.map((file) => readFile(path.join(state.logsDirectory, file), 'utf8')));
  return texts.flatMap((text) => text.split('\n')).flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
}

describe('one change, reported with a trace context', () => {
  beforeAll(async () => {
    await call('POST', `${state.apiUrl}/artists`, state.apiKey, { platform_id: '4711' });
    await call('POST', `${state.apiUrl}/destinations`, state.apiKey, { url: receiver.url });
    await report('traced-1', '4711');
    await receiver.waitFor(2, 30_000);
    await call('GET', `${state.apiUrl}/changes`, state.apiKey);
    await until(
      'all spans have arrived',
      async () => spansNamed('delivery.attempt').length === 2 && requestsLinkedToCaller().length === 1,
    );
  });

  test('a reported change has one trace through ingest, worker and egress proxy', () => {
    const [request] = spansNamed('POST /ingest/v1/changes');
    const [confirm] = spansNamed('changes.confirm');
    expect(request?.service).toBe('artist-watch-change-ingest');
    expect(confirm).toMatchObject({ service: 'artist-watch-change-ingest', parentSpanId: request?.spanId });
    const attempts = spansNamed('delivery.attempt').filter(childOf(confirm));
    expect(attempts.map(({ service }) => service)).toEqual([
      'artist-watch-webhook-worker',
      'artist-watch-webhook-worker',
    ]);
    const [connect] = spansNamed('egress.connect').filter(childOf(attempts[0]));
    expect(connect?.service).toBe('artist-watch-webhook-worker');
    expect(spansNamed('egress.open').filter(childOf(connect))).toMatchObject([
      { service: 'artist-watch-egress-proxy' },
    ]);
  });

  test('an API request starts a separate trace, so that customers cannot force recording', () => {
    const [request] = requestsLinkedToCaller();
    expect(request).toMatchObject({ service: 'artist-watch-api', parentSpanId: '' });
    expect(request?.traceId).not.toBe(traceId);
    expect(spansNamed('GET /v1/changes')).toEqual([]);
  });

  test('all retries and settlements of a change are in the same trace', () => {
    const attempts = spansNamed('delivery.attempt');
    expect(attempts.map(({ attributes }) => attributes['delivery.outcome'])).toEqual(['failed', 'succeeded']);
    expect(attempts.map(({ attributes }) => Number(attributes['delivery.attempt']))).toEqual([1, 2]);
    for (const attempt of attempts) expect(spansNamed('delivery.settle').filter(childOf(attempt))).toHaveLength(1);
  });

  test("the change's trace_id is in the log of every service", async () => {
    const events = (await logLines())
      .filter((line) => line.trace_id === traceId)
      .map(({ service, event }) => `${service} ${event}`);
    expect(events).toEqual(
      expect.arrayContaining([
        'change-ingest request.answered',
        'change-ingest change.confirmed',
        'webhook-worker attempt.settled',
      ]),
    );
  });

  test('no part of the trace is sent to the receiver', () => {
    for (const { headers } of receiver.requests)
      expect(Object.keys(headers).filter((name) => ofTraces.includes(name))).toEqual([]);
  });

  test('the trace contains no secrets and no bodies', () => {
    const sent = collector.bodies.join('\n');
    for (const secret of [state.apiKey, state.ingestToken, 'change.confirmed"', 'v1='])
      expect(sent).not.toContain(secret);
  });
});

test('a poll has a separate trace, and no part of it is sent to the platform', async () => {
  const poll = await until('a traced poll', async () => collector.spans.find(({ name }) => name === 'artist.poll'));
  expect(poll).toMatchObject({ service: 'artist-watch-change-ingest', parentSpanId: '' });
  expect(poll?.traceId).not.toBe(traceId);
  expect(platform.headers.length).toBeGreaterThan(0);
  for (const headers of platform.headers)
    expect(Object.keys(headers).filter((name) => ofTraces.includes(name))).toEqual([]);
});

describe('a proxy that records', () => {
  let proxy: ScriptedProxy;
  beforeAll(async () => {
    proxy = await startScriptedProxy();
  });
  afterAll(() => proxy?.close());

  test('the egress proxy gets the trace context with CONNECT but not inside the tunnel, and a stopping worker sends its last spans', async () => {
    await stopWorkers();
    const own = await startTraceCollector();
    const main = fileURLToPath(import.meta.resolve('@artist-watch/webhook-worker/main'));
    // Spans are sent after a minute, or when the worker stops.
    const settings = { ...tracing(own), OTEL_BSP_SCHEDULE_DELAY: '60000', EGRESS_PROXY_URLS: proxy.url };
    const worker = fork(main, { env: { ...state.env, ...settings }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    try {
      const before = receiver.requests.length;
      await report('traced-2', '4711');
      await receiver.waitFor(before + 1, 60_000);
      expect(proxy.connectHeaders.map(({ traceparent }) => traceparent)).toEqual([
        expect.stringMatching(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`)),
      ]);
      expect(
        proxy.connectHeaders.flatMap(Object.keys).filter((name) => name === 'tracestate' || name === 'baggage'),
      ).toEqual([]);
      for (const { headers } of receiver.requests)
        expect(Object.keys(headers).filter((name) => ofTraces.includes(name))).toEqual([]);

      expect(own.spans).toEqual([]);
      const exited = once(worker, 'exit');
      worker.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
      expect(
        own.spans
          .filter((span) => span.traceId === traceId)
          .map(({ name }) => name)
          .sort(),
      ).toEqual(expect.arrayContaining(['delivery.attempt', 'delivery.settle', 'egress.connect']));
    } finally {
      worker.kill('SIGKILL');
      await own.close();
    }
  });
});

/** The test's own worker must get the jobs. */
async function stopWorkers(): Promise<void> {
  for (const pid of state.pids.webhookWorker) process.kill(pid, 'SIGTERM');
  await until('the workers to end', async () =>
    state.pids.webhookWorker.every((pid) => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    }),
  );
}
