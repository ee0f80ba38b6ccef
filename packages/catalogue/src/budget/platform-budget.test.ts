import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { PlatformError } from '../port.js';
import { PlatformBudget } from './platform-budget.js';

const RULES = { limit: 10, windowMs: 1_000, burst: 5 };
const never = new AbortController().signal;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function takeMany(budget: PlatformBudget, count: number, signal = never): { readonly granted: string[] } {
  const granted: string[] = [];
  const startedAtMs = performance.now();
  for (let i = 0; i < count; i++) {
    budget.take(1, signal).then(
      () => granted.push(`${i} at ${Math.round(performance.now() - startedAtMs)}`),
      () => granted.push(`${i} refused`),
    );
  }
  return { granted };
}

describe('the budget of one process', () => {
  test('a burst of requests is granted immediately and the rest at an even rate, in order of arrival', async () => {
    const taken = takeMany(new PlatformBudget({ rules: RULES }), 8);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(taken.granted).toEqual([
      '0 at 0',
      '1 at 0',
      '2 at 0',
      '3 at 0',
      '4 at 0',
      '5 at 200',
      '6 at 400',
      '7 at 600',
    ]);
  });

  test('a penalty also delays requests that are already waiting', async () => {
    const budget = new PlatformBudget({ rules: RULES });
    const taken = takeMany(budget, 6);
    await jest.advanceTimersByTimeAsync(0);
    await budget.penalise(5_000);
    await jest.advanceTimersByTimeAsync(5_100);
    expect(taken.granted).toHaveLength(5);
    await jest.advanceTimersByTimeAsync(100);
    expect(taken.granted.at(-1)).toBe('5 at 5200');
  });

  test('the next request gets the slot of an aborted request', async () => {
    const budget = new PlatformBudget({ rules: RULES });
    takeMany(budget, 5);
    const giveUp = new AbortController();
    const gone = budget.take(1, giveUp.signal);
    const next = takeMany(budget, 1);
    const reason = new Error('enough');
    giveUp.abort(reason);
    await expect(gone).rejects.toBe(reason);
    await jest.advanceTimersByTimeAsync(200);
    expect(next.granted).toEqual(['0 at 200']);
  });

  test('a request that would wait too long is rejected immediately, with an error that states the wait', async () => {
    const budget = new PlatformBudget({ rules: RULES, maxWaitMs: 2_000 });
    await budget.penalise(60_000);
    const refused = await budget.take(1, never).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PlatformError);
    expect((refused as PlatformError).failure).toEqual({ kind: 'quota', retryAfterMs: 60_200 });
  });

  test('the expected wait includes the requests that are already waiting', async () => {
    const budget = new PlatformBudget({ rules: RULES, maxWaitMs: 400 });
    const taken = takeMany(budget, 8);
    await jest.advanceTimersByTimeAsync(0);
    expect(taken.granted.at(-1)).toBe('7 refused');
  });

  test('a burst that is not below the limit is rejected', () => {
    expect(() => new PlatformBudget({ rules: { ...RULES, burst: RULES.limit } })).toThrow(RangeError);
  });

  test('an account with few requests gets at least every second slot while another account has many waiting', async () => {
    const budget = new PlatformBudget({ rules: RULES });
    const granted: string[] = [];
    const take = (account: string): Promise<void> =>
      budget.take(1, never, 'due', account).then(() => void granted.push(account));
    const huge = async () => {
      for (;;) await take('huge');
    };
    // Each of ten catalogues sends four requests at a time.
    for (let n = 0; n < 40; n++) void huge();
    await jest.advanceTimersByTimeAsync(10_000);
    const before = granted.length;
    for (let n = 0; n < 4; n++) void take('small');
    await jest.advanceTimersByTimeAsync(2_000);
    expect(granted.slice(before, before + 8).filter((account) => account === 'small')).toHaveLength(4);
    expect(granted.slice(before + 8)).toEqual(['huge', 'huge']);
  });

  test('an account that aborted earlier requests does not wait longer', async () => {
    const budget = new PlatformBudget({ rules: RULES });
    takeMany(budget, 5);
    await jest.advanceTimersByTimeAsync(0);
    const giveUp = new AbortController();
    const gone = Array.from({ length: 100 }, () => budget.take(1, giveUp.signal, 'due', 'mine'));
    giveUp.abort(new Error('enough'));
    await Promise.allSettled(gone);
    const granted: string[] = [];
    for (const account of ['mine', 'other', 'other']) {
      void budget.take(1, never, 'due', account).then(() => granted.push(account));
    }
    await jest.advanceTimersByTimeAsync(1_000);
    expect(granted[0]).toBe('mine');
  });

  test('a request whose signal is already aborted is rejected', async () => {
    const budget = new PlatformBudget({ rules: RULES });
    await expect(budget.take(1, AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
    expect(takeMany(budget, 5)).toBeDefined();
  });
});
