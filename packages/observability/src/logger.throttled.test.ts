import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { LineBatch, throttled } from './logger.js';

function recorder() {
  const lines: string[] = [];
  const clock = { ms: 0 };
  const report = throttled(
    (error, suppressed) => lines.push(`${(error as Error).message} ${suppressed}`),
    () => clock.ms,
  );
  return { lines, clock, report: (message: string) => report(new Error(message)) };
}

test('identical errors are logged once in 10 s, with the number of suppressed errors', () => {
  const { lines, clock, report } = recorder();
  for (let time = 0; time < 1_000; time += 1) report('OOM');
  expect(lines).toEqual(['OOM 0']);
  clock.ms = 10_000;
  report('OOM');
  report('OOM');
  clock.ms = 50_000;
  report('OOM');
  expect(lines).toEqual(['OOM 0', 'OOM 999', 'OOM 1']);
});

test('different errors are logged immediately', () => {
  const { lines, report } = recorder();
  for (let id = 0; id < 1_000; id += 1) report(`lost lock of ${id}`);
  expect(lines).toHaveLength(1_000);
});

function recordWrites() {
  const writes: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      writes.push(chunk);
      done();
    },
  });
  return { writes, batch: new LineBatch(stream) };
}

const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

describe('batches of log lines', () => {
  test('the lines of one event loop iteration are written together, in order', async () => {
    const { writes, batch } = recordWrites();
    batch.add('one');
    await Promise.resolve();
    batch.add('two');
    expect(writes).toEqual([]);
    await nextIteration();
    batch.add('three');
    await nextIteration();
    expect(writes).toEqual(['one\ntwo\n', 'three\n']);
  });

  test('a flush writes the lines immediately and only once', async () => {
    const { writes, batch } = recordWrites();
    batch.add('one');
    batch.flush();
    batch.flush();
    expect(writes).toEqual(['one\n']);
    await nextIteration();
    expect(writes).toEqual(['one\n']);
  });

  test('if one event loop iteration logs a lot, lines are written before it ends', () => {
    const { writes, batch } = recordWrites();
    const line = 'x'.repeat(1_000);
    for (let count = 0; count < 1_000; count += 1) batch.add(line);
    expect(writes.length).toBeGreaterThan(10);
    batch.flush();
    expect(writes.join('')).toBe(`${line}\n`.repeat(1_000));
  });
});

describe('all log lines are written in order', () => {
  test.each([
    ['if the process ends normally', ''],
    ['if the process exits within an event loop iteration', 'process.exit(0);'],
    ['if the process crashes with an exception', "throw new Error('uncaught');"],
    ['if the process crashes with a rejection', "await Promise.reject(new Error('unhandled'));"],
    [
      'if the process exits on SIGTERM',
      "process.on('SIGTERM', () => process.exit(0)); process.kill(process.pid, 'SIGTERM');",
    ],
  ])('%s', async (_when, ending) => {
    const logger = new URL('../dist/logger.js', import.meta.url).href;
    const program = `
      import { createLogger } from ${JSON.stringify(logger)};
      const log = createLogger({ service: 'api', level: 'info' });
      for (let number = 0; number < 500; number += 1) log.info('line', { number });
      ${ending}`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    await once(child, 'close');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event === 'line');
    expect(lines.map(({ number }) => number)).toEqual(Array.from({ length: 500 }, (_, number) => number));
  });
});
