import type { AccountId } from '@artist-watch/domain/ids';
import { describe, expect, test } from '@jest/globals';
import { FixedWindows, RateLimit, type WindowCount } from './rate-limit.js';

const account = 'acc_1' as AccountId;

function scripted(answer: () => WindowCount | Promise<WindowCount>) {
  let asked = 0;
  const time = { ms: 0 };
  const fallbacks: unknown[] = [];
  const limit = new RateLimit({
    shared: {
      async count() {
        asked += 1;
        return answer();
      },
    },
    windowMs: 3_600_000,
    monotonicMs: () => time.ms,
    onFallback: (reason) => fallbacks.push(reason),
  });
  return { limit, time, fallbacks, asked: () => asked };
}

function unanswered() {
  let resolve: (count: WindowCount) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<WindowCount>((onCount, onError) => {
    resolve = onCount;
    reject = onError;
  });
  return { promise, resolve, reject };
}

describe('if the shared counter becomes unavailable,', () => {
  test('requests are counted in the process, starting from the last shared count', async () => {
    let away = false;
    const { limit, fallbacks } = scripted(() => {
      if (away) throw new Error('gone');
      return { admitted: true, remaining: 1, resetsInMs: 90_000 };
    });
    await limit.count(account, 60);
    away = true;
    expect(await limit.count(account, 60)).toEqual({ admitted: true, remaining: 0, resetsInMs: 90_000 });
    expect(await limit.count(account, 60)).toMatchObject({ admitted: false, remaining: 0 });
    expect(fallbacks).toHaveLength(2);
  });

  test('an account with no earlier requests gets its full limit', async () => {
    const { limit } = scripted(() => {
      throw new Error('gone');
    });
    expect(await limit.count(account, 60)).toEqual({ admitted: true, remaining: 59, resetsInMs: 3_600_000 });
  });

  test('only one request every two seconds tries the shared counter again, because each attempt may time out', async () => {
    const { limit, time, asked } = scripted(() => {
      throw new Error('frozen');
    });
    for (let request = 0; request < 10; request += 1) await limit.count(account, 60);
    expect(asked()).toBe(1);
    time.ms = 2_000;
    await limit.count(account, 60);
    expect(asked()).toBe(2);
  });

  test('requests do not wait while another request tries the shared counter again', async () => {
    let frozen = unanswered();
    const { limit, time, asked, fallbacks } = scripted(() => frozen.promise);
    const inFlight = [limit.count(account, 60), limit.count(account, 60)];
    time.ms = 1_500;
    frozen.reject(new Error('timed out'));
    await Promise.all(inFlight);

    for (let round = 1; round <= 2; round += 1) {
      frozen = unanswered();
      time.ms += 2_000;
      const asking = limit.count(account, 60);
      // The shared counter has not responded to the first request yet.
      for (let request = 0; request < 5; request += 1) {
        time.ms += 200;
        expect(await limit.count(account, 60)).toMatchObject({ admitted: true });
      }
      expect(asked()).toBe(2 + round);
      frozen.reject(new Error('timed out'));
      expect(await asking).toMatchObject({ admitted: true });
    }
    expect(fallbacks).toHaveLength(2 + 2 * 6);
  });

  test('once the shared counter has responded, all requests use it again', async () => {
    let frozen = unanswered();
    const { limit, time, asked } = scripted(() => frozen.promise);
    frozen.reject(new Error('timed out'));
    await limit.count(account, 60);
    frozen = unanswered();
    time.ms = 2_000;
    const asking = limit.count(account, 60);
    frozen.resolve({ admitted: true, remaining: 41, resetsInMs: 90_000 });
    expect(await asking).toMatchObject({ remaining: 41 });
    expect(await Promise.all([limit.count(account, 60), limit.count(account, 60)])).toMatchObject([
      { remaining: 41 },
      { remaining: 41 },
    ]);
    expect(asked()).toBe(4);
  });

  test('the shared count is used again as soon as the counter responds', async () => {
    let away = true;
    const { limit, time } = scripted(() => {
      if (away) throw new Error('gone');
      return { admitted: true, remaining: 59, resetsInMs: 3_600_000 };
    });
    await limit.count(account, 60);
    away = false;
    time.ms = 2_000;
    expect(await limit.count(account, 60)).toMatchObject({ remaining: 59 });
  });
});

const windows = (maxNames = 10) => new FixedWindows({ windowMs: 1_000, maxNames });

describe('fixed windows', () => {
  test('a window starts with the first request and has a fixed length, whatever follows', () => {
    const counted = windows();
    expect(counted.count('a', 2, 100)).toEqual({ admitted: true, remaining: 1, resetsInMs: 1_000 });
    expect(counted.count('a', 2, 700)).toEqual({ admitted: true, remaining: 0, resetsInMs: 400 });
    expect(counted.count('a', 2, 1_099)).toEqual({ admitted: false, remaining: 0, resetsInMs: 1 });
    expect(counted.count('a', 2, 1_100)).toEqual({ admitted: true, remaining: 1, resetsInMs: 1_000 });
  });

  test('rejected requests are not counted, so a limit raised by eight allows eight more requests', () => {
    const counted = windows();
    for (let request = 0; request < 50; request += 1) counted.count('a', 2, 0);
    expect(counted.count('a', 10, 0)).toMatchObject({ admitted: true, remaining: 7 });
  });

  test('each name is counted separately', () => {
    const counted = windows();
    counted.count('a', 1, 0);
    expect(counted.count('b', 1, 0).admitted).toBe(true);
    expect(counted.count('a', 1, 0).admitted).toBe(false);
  });

  test('a window continues from the last count of the shared counter', () => {
    const counted = windows();
    counted.remember('a', 59, 500, 0);
    expect(counted.count('a', 60, 100)).toEqual({ admitted: true, remaining: 0, resetsInMs: 400 });
    expect(counted.count('a', 60, 499).admitted).toBe(false);
    expect(counted.count('a', 60, 500).remaining).toBe(59);
  });

  test('the number of counters in memory is limited', () => {
    const counted = windows(2);
    counted.count('a', 1, 0);
    counted.count('b', 1, 0);
    counted.count('c', 1, 0);
    expect(counted.count('a', 1, 0).admitted).toBe(true);
  });
});
