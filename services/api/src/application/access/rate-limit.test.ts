import type { AccountId } from '@artist-watch/domain/ids';
import { describe, expect, test } from '@jest/globals';
import type { WindowCount } from './ports.js';
import { RateLimit } from './rate-limit.js';

const account = 'acc_1' as AccountId;

/** A shared counter that answers, or fails, as it is told. */
function scripted(answer: () => WindowCount) {
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

describe('while the shared counter is away', () => {
  test('requests are counted in the process, from where the shared counter was', async () => {
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

  test('an account that was never seen gets its whole limit', async () => {
    const { limit } = scripted(() => {
      throw new Error('gone');
    });
    expect(await limit.count(account, 60)).toEqual({ admitted: true, remaining: 59, resetsInMs: 3_600_000 });
  });

  test('it is asked again every other second and not by each request, since each may have to wait', async () => {
    const { limit, time, asked } = scripted(() => {
      throw new Error('frozen');
    });
    for (let request = 0; request < 10; request += 1) await limit.count(account, 60);
    expect(asked()).toBe(1);
    time.ms = 2_000;
    await limit.count(account, 60);
    expect(asked()).toBe(2);
  });

  test('what it says counts again as soon as it answers', async () => {
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
