import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { placeOfServers } from '@artist-watch/harness/place-of-servers';
import { expect, test } from '@jest/globals';
import { inCheckout } from './checkout.js';

const PAGES = ['/', '/changes', '/changes/:change', '/artists', '/artists/:artist', '/members', '/usage'];
const WHOLE_SETTING = 'http, fan-out 10, one change per request';

/** These lines in the output prove that a quick run worked. */
const FORMS: readonly (readonly [bench: string, shows: string, lines: readonly RegExp[]])[] = [
  [
    'api',
    'times, round trips and statements',
    [
      /^GET \/v1\/changes, round 1: requestsPerSecond \d+\.\d+, serverCpuUs /m,
      /^bare Express, round 1: requestsPerSecond /m,
      /^bare Express 401, round 1: requestsPerSecond /m,
      /^GET \/v1\/changes, round 1: perSecond .* p99ToMedian \d/m,
      /^500 artists, round 1: /m,
      /^5000 changes, round 1: /m,
      /^a poll that finds nothing new, round 1: requestsPerSecond /m,
      /requests per second, relative to bare Express: \d+\.\d\d .* ≥ 1\.30/,
      /relative to bare Express with 200 items: \d+\.\d\d .* ≥ 3\.00/,
      /401 .* relative to bare Express: \d+\.\d\d .* ≥ 0\.80/,
      /compared with bare Express at half its rate: \d+\.\d\d .* ≤ 1\.00/,
      /^filter by `q`, rows read, many changes to few \(limit 1\.2\): \d+\.\d\d .*≤ 1\.20/m,
      /^Redis round trips per request: 1\.00 {2}≤ 1\.00$/m,
      /^statements per request, without key lookups: 1\.00 {2}≤ 1\.00$/m,
    ],
  ],
  [
    'isolation',
    'how reads and writes of one account affect another account',
    [40, 150].flatMap((atOnce) => [
      new RegExp(`^reads, ${atOnce} at once, round 1: p50Ms .*answeredElse 0\\.0$`, 'm'),
      new RegExp(`^writes, ${atOnce} at once, round 1: p50Ms .*answeredElse 0\\.0$`, 'm'),
      new RegExp(`^p95, ${atOnce} at once, during writes relative to reads \\(limit 1\\.5\\): .* ≤ 1\\.50`, 'm'),
    ]),
  ],
  [
    'backlog',
    'the cost of deliveries with a small and a large backlog, the memory of Redis, and a change for many destinations',
    [
      /^500 pending, round 1: releaseUs \d.* claimUs \d.* settleUs \d.* sweepUs \d.* skipUs \d/m,
      /^2000 pending, round 1: releaseUs \d/m,
      /^one change to 200: committed after \d+ ms, all released after \d+ ms/m,
      /^Redis used_memory: .* with 2000 pending/m,
      /^release, relative to 500 pending \(limit 1\.3\): .* ≤ 1\.30/m,
      /used_memory of Redis .* ≤ 200\.0 MB/,
    ],
  ],
  [
    'dashboard',
    'the statements, the bytes and the speed of every page',
    // Each page may use at most six statements, including the session lookup, and less than 40 kB of gzipped HTML.
    PAGES.flatMap((page) => [
      new RegExp(`^${page}, statements: [1-6] `, 'm'),
      new RegExp(`^${page}, HTML, gzipped: [1-3]?\\d\\.\\d kB `, 'm'),
      new RegExp(`^${page}, first byte relative to bare Express: .* ≤ 3\\.00`, 'm'),
    ]),
  ],
  [
    'delivery',
    'cost, latency and isolation, with every webhook delivered exactly once',
    [
      /^bare loop, round 1: cpuUs \d/m,
      /^worker, round 1: cpuUs \d.* core share of postgres \d/m,
      /^two workers: perSecond \d/m,
      /^reference: the bare loop posts \d+ webhooks per second/m,
      /^idle, \d+ changes, .* p99 \d/m,
      /^with the bad destinations: \d+ webhooks, .* p95 \d/m,
      /CPU time per webhook: worker relative to the bare loop: /,
      /p95 with the bad destinations relative to p95 without them: .* ≤ 1\.50/,
    ],
  ],
  [
    'flood',
    'the latency of other destinations during a flood for one destination',
    [
      /^with the flood, round 1: p50 .* p95 \d/m,
      /^reference: the bare loop posts \d+ webhooks per second/m,
      /p95 with the flood relative to p95 without it: .* ≤ 3\.00/,
    ],
  ],
  [
    'memory',
    'the memory of a worker whose slots are all in use, and of one under load',
    [/^in flight: at most [1-9]\d* requests at once, \d+ MB/m, /^under load, minute \d.*: \d+ MB/m],
  ],
  [
    'mails',
    'the CPU time of a digest, and of sign-in requests for known and unknown addresses',
    [
      /^digest, round 1: \d.* in Node/m,
      /CPU time of a digest about 20 artists: .* ≤ 1000\.0 ms/,
      /known address, relative to an unknown address/,
    ],
  ],
  [
    'whole',
    'the cost of each part, with every webhook delivered exactly once',
    [
      new RegExp(`^${WHOLE_SETTING}, round 1: perSecond \\d.* of postgres \\d.* of the feeder \\d`, 'm'),
      new RegExp(`^${WHOLE_SETTING}, CPU relative to the bare loop: \\d`, 'm'),
    ],
  ],
];

test.concurrent.each(FORMS)(
  'a quick run of %s shows %s, and does not change the published results',
  async (bench, _shows, lines) => {
    const page = () => readFile(inCheckout(`docs/benchmarks/${bench}.md`), 'utf8').catch(() => undefined);
    const before = await page();
    const text = await runQuickly(bench);
    for (const line of lines) expect(text).toMatch(line);
    expect(await page()).toBe(before);
  },
  300_000,
);

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
