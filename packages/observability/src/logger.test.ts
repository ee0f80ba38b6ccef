import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createLogger, type LogLevel, withContext } from './logger.js';

function logTo(level: LogLevel = 'info') {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
  });
  const lines = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  };
  return { log: createLogger({ service: 'webhook-worker', level, stream }), lines, text: () => text, stream };
}

const events = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).event);

describe('createLogger', () => {
  test('a unit of work is logged as one line of JSON that starts with time, level, service and event', async () => {
    const { log, lines } = logTo();
    log.info('attempt.settled', { attempt: 1, note: 'two\nlines', status: undefined });
    const [line] = await lines();
    expect(Object.keys(line)).toEqual(['time', 'level', 'service', 'event', 'attempt', 'note']);
    expect(line).toMatchObject({ level: 'info', service: 'webhook-worker', event: 'attempt.settled', attempt: 1 });
    expect(new Date(line.time).toISOString()).toBe(line.time);
  });

  test('no line contains a secret from its fields, its errors or its context', async () => {
    const { log, lines } = logTo();
    withContext({ authorization: 'Bearer hunter2' }, () =>
      log.with({ secret: 'hunter2' }).error('attempt.crashed', {
        error: new Error('at http://u:hunter2@proxy'),
        headers: { 'X-Service-Signature': 'hunter2' },
        url: 'https://h.example/?token=hunter2',
      }),
    );
    expect(JSON.stringify(await lines())).not.toContain('hunter2');
  });

  test('lines below the log level are not written, and their fields are not read', async () => {
    const { log, lines } = logTo('warn');
    const costly = {
      get field(): string {
        throw new Error('read');
      },
    };
    log.info('a.b', costly);
    log.debug('a.b', costly);
    log.warn('a.b');
    log.error('a.b');
    expect((await lines()).map((line) => line.level)).toEqual(['warn', 'error']);
    expect([log.isOn('info'), log.isOn('warn')]).toEqual([false, true]);
  });

  test('a warning or an error is written immediately, and so are the lines before it', () => {
    const { log, text } = logTo();
    log.info('a.first');
    expect(text()).toBe('');
    log.warn('a.second');
    expect(events(text())).toEqual(['a.first', 'a.second']);
    log.info('a.third');
    log.error('a.fourth');
    expect(events(text())).toEqual(['a.first', 'a.second', 'a.third', 'a.fourth']);
  });

  test('every line of a request has the context of that request', async () => {
    const { log, lines } = logTo();
    const handle = (requestId: string, accountId: string) =>
      withContext({ requestId, accountId }, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        log.info('request.answered', { status: 200 });
      });
    await Promise.all([handle('r1', 'acc_1'), handle('r2', 'acc_2')]);
    log.info('outside');
    const [first, second, third] = await lines();
    expect(first).toMatchObject({ requestId: 'r1', accountId: 'acc_1', status: 200 });
    expect(second).toMatchObject({ requestId: 'r2', accountId: 'acc_2' });
    expect(third.requestId).toBeUndefined();
  });

  test('a field cannot replace the time, level, service or event of the line', async () => {
    const { log, lines } = logTo();
    log.info('real', { event: 'change.confirmed', level: 'error' });
    expect(await lines()).toMatchObject([
      { event: 'real', level: 'info', event_: 'change.confirmed', level_: 'error' },
    ]);
  });

  test('the service keeps running after the log reader exits', () => {
    const { log, stream } = logTo();
    stream.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(() => log.info('a.b')).not.toThrow();
  });
});
