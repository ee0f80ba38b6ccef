import { describe, expect, test } from '@jest/globals';
import { customHeadersProblem, HIDDEN_HEADER_VALUE } from './webhook-options.js';

const problemOf = (name: string, value = 'x') => customHeadersProblem([{ name, value }]);

describe('custom headers', () => {
  test.each(['Authorization', 'X-Api-Key', 'Cookie', 'x-service', "!#$%&'*+-.^_`|~"])(
    'a custom header may be named %s',
    (name) => {
      expect(problemOf(name)).toBeUndefined();
    },
  );

  test.each([
    ...['X-Service-Signature', 'x-service-event', 'Webhook-Id', 'content-type', 'Content-Length', 'HOST', 'user-agent'],
    ...['Connection', 'Keep-Alive', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'Proxy-Authorization', 'Expect'],
    ...['X_Service_Signature', 'Transfer_Encoding', 'content_length'],
  ])('a custom header must not have the reserved name %s', (name) => {
    expect(problemOf(name)).toMatch(/reserved/);
  });

  test.each(['', 'a b', 'a:b', 'a\r\nb', 'ü', 'a'.repeat(101)])(
    'a custom header must not have the invalid name %j',
    (name) => {
      expect(problemOf(name)).toBeDefined();
    },
  );

  test.each(['Bearer abc', 'a\tb', 'x'.repeat(1_000)])('a custom header may have the value %j', (value) => {
    expect(problemOf('X-Api-Key', value)).toBeUndefined();
  });

  test.each(['', ' a', 'a ', 'a\nb', 'a\r\nHost: b', 'a\0b', 'ü', 'x'.repeat(1_001), HIDDEN_HEADER_VALUE])(
    'a custom header must not have the value %j',
    (value) => {
      expect(problemOf('X-Api-Key', value)).toBeDefined();
    },
  );

  test('a custom header must not occur twice, even in a different case', () => {
    expect(
      customHeadersProblem([
        { name: 'X-A', value: '1' },
        { name: 'x-a', value: '2' },
      ]),
    ).toMatch(/twice/);
  });

  test('a destination may have ten custom headers, but not eleven', () => {
    const headers = Array.from({ length: 11 }, (_, index) => ({ name: `X-${index}`, value: 'x' }));
    expect(customHeadersProblem(headers.slice(1))).toBeUndefined();
    expect(customHeadersProblem(headers)).toMatch(/at most 10/);
  });
});
