import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { every } from './periodic.js';

describe('every', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  function harness(run: (signal: AbortSignal) => Promise<unknown>, firstAfterMs = 0) {
    jest.useFakeTimers();
    const stop = new AbortController();
    const errors: unknown[] = [];
    const loop = every({
      intervalMs: 1_000,
      firstAfterMs,
      run,
      signal: stop.signal,
      onError: (error) => errors.push(error),
    });
    return { loop, stop, errors };
  }

  test('the next run starts one interval after the end of the previous run', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const { loop, stop } = harness(async () => {
      running += 1;
      runs += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      running -= 1;
    });
    await jest.advanceTimersByTimeAsync(2_499);
    expect(runs).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(runs).toBe(2);
    await jest.advanceTimersByTimeAsync(2_500);
    expect(runs).toBe(3);
    expect(most).toBe(1);
    stop.abort();
    await jest.runAllTimersAsync();
    await loop.done;
  });

  test('a nudge ends the pause', async () => {
    let runs = 0;
    const { loop, stop } = harness(async () => {
      runs += 1;
    });
    await jest.advanceTimersByTimeAsync(10);
    expect(runs).toBe(1);
    loop.nudge();
    await jest.advanceTimersByTimeAsync(0);
    expect(runs).toBe(2);
    await jest.advanceTimersByTimeAsync(999);
    expect(runs).toBe(2);
    stop.abort();
    await loop.done;
  });

  test('nudges during a run cause exactly one more run', async () => {
    let runs = 0;
    const { loop, stop } = harness(async () => {
      runs += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
    await jest.advanceTimersByTimeAsync(50);
    loop.nudge();
    loop.nudge();
    await jest.advanceTimersByTimeAsync(500);
    expect(runs).toBe(2);
    stop.abort();
    await loop.done;
  });

  test('a failed run is reported and the loop continues', async () => {
    let runs = 0;
    const { loop, stop, errors } = harness(async () => {
      runs += 1;
      if (runs === 1) throw new Error('database away');
    });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(errors).toEqual([new Error('database away')]);
    expect(runs).toBe(2);
    stop.abort();
    await loop.done;
  });

  test('a nudge ends the pause after a successful run, but not the pause after a failed run', async () => {
    let runs = 0;
    const { loop, stop } = harness(async () => {
      runs += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (runs === 1) throw new Error('database away');
    });
    await jest.advanceTimersByTimeAsync(50);
    loop.nudge();
    await jest.advanceTimersByTimeAsync(100);
    loop.nudge();
    await jest.advanceTimersByTimeAsync(949);
    expect(runs).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(runs).toBe(2);
    await jest.advanceTimersByTimeAsync(150);
    loop.nudge();
    await jest.advanceTimersByTimeAsync(0);
    expect(runs).toBe(3);
    stop.abort();
    await jest.runAllTimersAsync();
    await loop.done;
  });

  test('a loop that is stopped during the pause after a failed run ends immediately', async () => {
    const { loop, stop } = harness(async () => {
      throw new Error('database away');
    });
    await jest.advanceTimersByTimeAsync(10);
    stop.abort();
    await loop.done;
    expect(jest.getTimerCount()).toBe(0);
  });

  test('stopping waits for the current run and does not report its error', async () => {
    let ended = false;
    const { loop, stop, errors } = harness(async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      ended = true;
      signal.throwIfAborted();
    });
    await jest.advanceTimersByTimeAsync(10);
    stop.abort();
    await loop.done;
    expect(ended).toBe(true);
    expect(errors).toEqual([]);
  });

  test('a loop that is stopped during a pause ends immediately and leaves no timer', async () => {
    const { loop, stop } = harness(async () => undefined, 5_000);
    await jest.advanceTimersByTimeAsync(10);
    stop.abort();
    await loop.done;
    expect(jest.getTimerCount()).toBe(0);
  });
});
