import { describe, expect, test } from '@jest/globals';
import { ArtistWatchError, pauseBeforeRetry, toError } from './failure.js';

const rules = { maxRetries: 3, maxWaitMs: 60_000 };
const answer = (status: number, code: string, retryAfterMs?: number) =>
  new ArtistWatchError(status, code, 'No.', undefined, retryAfterMs);
const pause = (failure: unknown, isSafe: boolean, attempt = 0) => pauseBeforeRetry(failure, { isSafe, attempt, rules });

describe('retries after a failed request', () => {
  test('a request that exceeds the rate limit is retried after the wait that the API requests, whatever its method', () => {
    expect(pause(answer(429, 'rate_limited', 7_000), true)).toBe(7_000);
    expect(pause(answer(429, 'rate_limited', 7_000), false)).toBe(7_000);
  });

  test("a request is not retried if the wait would exceed the client's limit", () => {
    expect(pause(answer(429, 'daily_allowance_exceeded', 3_600_000), true)).toBeUndefined();
  });

  test('a request whose outcome is unclear is retried only if repeating it is harmless', () => {
    for (const failure of [
      answer(503, 'service_unavailable', 1_000),
      answer(502, 'unknown'),
      new TypeError('fetch failed'),
    ]) {
      expect(pause(failure, true)).toBeDefined();
      expect(pause(failure, false)).toBeUndefined();
    }
  });

  test('a request is not retried if a retry would get the same response', () => {
    for (const status of [400, 401, 403, 404, 405, 409, 413, 415, 500]) {
      expect(pause(answer(status, 'x'), true)).toBeUndefined();
    }
  });

  test('a request is retried if an identical request is still in progress', () => {
    expect(pause(answer(409, 'idempotency_conflict', 1_000), true)).toBe(1_000);
    expect(pause(answer(409, 'idempotency_conflict'), true)).toBeUndefined();
  });

  test('the wait before each retry is longer, up to the maximum number of retries', () => {
    const waits = [0, 1, 2, 3].map((attempt) => pause(answer(503, 'x'), true, attempt));
    expect(waits).toEqual([250, 500, 1_000, undefined]);
  });
});

test('an error lists all invalid parameters of the response', () => {
  const errors = [{ param: 'limit', message: '"limit" must not be sent more than once.' }];
  const body = { error: { code: 'invalid_limit', message: '"limit" must not be sent more than once.', errors } };
  expect(toError(new Response(null, { status: 400 }), JSON.stringify(body))).toMatchObject({ status: 400, errors });
  expect(toError(new Response(null, { status: 502 }), '<html>')).toMatchObject({ code: 'unknown', errors: [] });
});
