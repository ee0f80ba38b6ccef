import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { placeOfServers } from '@artist-watch/harness/place-of-servers';
import { expect, test } from '@jest/globals';
import { inCheckout } from './checkout.js';

const PAGES = ['/', '/changes', '/changes/:change', '/artists', '/artists/:artist', '/members', '/usage'];
const WHOLE_SETTING = 'http, fan-out 10, one change a request';

/** What each benchmark's quick run must show, and the output lines that prove it. */
const FORMS: readonly (readonly [bench: string, shows: string, lines: readonly RegExp[]])[] = [
  [
    'api',
    'measures times, and counts round trips and statements',
    [
      /^GET \/v1\/changes, round 1: requestsPerSecond \d+\.\d+, serverCpuUs /m,
      /^bare Express, round 1: requestsPerSecond /m,
      /^bare Express 401, round 1: requestsPerSecond /m,
      /^GET \/v1\/changes, round 1: perSecond .* p99ToMedian \d/m,
      /^500 artists, round 1: /m,
      /^5000 changes, round 1: /m,
      /^a poll that finds nothing new, round 1: requestsPerSecond /m,
      /requests per second, to bare Express: \d+\.\d\d .* ≥ 1\.30/,
      /to bare Express with 200 items: \d+\.\d\d .* ≥ 3\.00/,
      /401 .* to bare Express: \d+\.\d\d .* ≥ 0\.80/,
      /relative to bare Express at half its rate: \d+\.\d\d .* ≤ 1\.00/,
      /by `q`, many changes in the table to few: rows read: \d+\.\d\d .*≤ 1\.20/,
      /^Redis round trips for each request: 1\.00 {2}≤ 1\.00$/m,
      /^statements for each request, without key lookups: 1\.00 {2}≤ 1\.00$/m,
    ],
  ],
  [
    'isolation',
    'measures another account beside reads and writes, and it always gets 200',
    [40, 150].flatMap((atOnce) => [
      new RegExp(`^reads, ${atOnce} at once, round 1: p50Ms .*answeredElse 0\\.0$`, 'm'),
      new RegExp(`^writes, ${atOnce} at once, round 1: p50Ms .*answeredElse 0\\.0$`, 'm'),
      new RegExp(`p95 beside writes, ${atOnce} at once, relative to reads: .* ≤ 1\\.50`),
    ]),
  ],
  [
    'backlog',
    'measures the cost by backlog, the memory of Redis, and a change for many destinations',
    [
      /^500 pending, round 1: releaseUs \d.* claimUs \d.* settleUs \d.* sweepUs \d.* skipUs \d/m,
      /^2000 pending, round 1: releaseUs \d/m,
      /^one change to 200: committed after \d+ ms, all released after \d+ ms/m,
      /^Redis used_memory: .* with 2000 pending/m,
      /release: time for each delivery, 2000 pending to 500 pending: .* ≤ 1\.30/,
      /used_memory of Redis .* ≤ 200\.0 MB/,
    ],
  ],
  [
    'dashboard',
    'counts the statements and bytes of every page, and compares it with bare Express',
    // On every machine, a page needs at most six statements including the session lookup, and is smaller than 40 kB.
    PAGES.flatMap((page) => [
      new RegExp(`^${page}, statements: [1-6] `, 'm'),
      new RegExp(`^${page}, HTML, gzipped: [1-3]?\\d\\.\\d kB `, 'm'),
      new RegExp(`^${page}, to bare Express: .* ≤ 3\\.00`, 'm'),
    ]),
  ],
  [
    'delivery',
    'delivers every webhook once, and measures cost, latency and isolation',
    [
      /^bare loop, round 1: cpuUs \d/m,
      /^worker, round 1: cpuUs \d.* core share of postgres \d/m,
      /^two workers: perSecond \d/m,
      /^reference: the bare loop posts \d+ webhooks a second/m,
      /^idle, \d+ changes, .* p99 \d/m,
      /^beside the bad ones: \d+ webhooks, .* p95 \d/m,
      /CPU per webhook: worker to bare loop: /,
      /p95 beside the bad ones to p95 without them: .* ≤ 1\.50/,
    ],
  ],
  [
    'flood',
    'delivers a flood, and measures other destinations',
    [
      /^beside the flood, round 1: p50 .* p95 \d/m,
      /^reference: the bare loop posts \d+ webhooks a second/m,
      /p95 beside the flood to p95 without it: .* ≤ 3\.00/,
    ],
  ],
  [
    'memory',
    'measures a worker with its slots taken, and under load',
    [/^in flight: at most [1-9]\d* requests at once, \d+ MB/m, /^under load, minute \d.*: \d+ MB/m],
  ],
  [
    'mails',
    'measures a digest, and sign-in requests of known and unknown addresses',
    [
      /^digest, round 1: \d.* in Node/m,
      /CPU of a digest over 20 artists: .* ≤ 1000\.0 ms/,
      /known address to unknown address/,
    ],
  ],
  [
    'whole',
    'delivers every webhook once, and measures the cost of each part',
    [
      new RegExp(`^${WHOLE_SETTING}, round 1: perSecond \\d.* of postgres \\d.* of the feeder \\d`, 'm'),
      new RegExp(`^${WHOLE_SETTING}, all, to the bare loop: \\d`, 'm'),
    ],
  ],
];

test.concurrent.each(FORMS)(
  'a quick run of %s %s, and leaves the results of real runs alone',
  async (bench, _shows, lines) => {
    const page = () => readFile(inCheckout(`docs/benchmarks/${bench}.md`), 'utf8').catch(() => undefined);
    const before = await page();
    const text = await runQuickly(bench);
    for (const line of lines) expect(text).toMatch(line);
    expect(await page()).toBe(before);
  },
  300_000,
);

/** Runs the quick form of a benchmark and returns its output. Throws the output if the command fails. */
async function runQuickly(bench: string): Promise<string> {
  const child = spawn(process.execPath, [inCheckout('tools/bench/dist/main.js'), bench, '--quick'], {
    env: { ...process.env, TMPDIR: await placeOfServers() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(text);
  return text;
}
