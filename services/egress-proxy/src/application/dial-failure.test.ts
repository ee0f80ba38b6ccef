import { describe, expect, test } from '@jest/globals';
import { DialFailure, kindOf, refusalFor } from './dial-failure.js';

/** What a client hears of a name whose addresses failed with these codes of connect(2). */
function heard(...failures: readonly (readonly [code: string, family: 4 | 6])[]) {
  return refusalFor(failures.map(([code, family]) => new DialFailure(kindOf({ code }, family))));
}

describe('what connect(2) says is blamed on', () => {
  test.each(['ENETUNREACH', 'EHOSTUNREACH', 'ECONNRESET', 'E_OF_TOMORROW'])('the way there: %s', (code) => {
    expect(heard([code, 4])).toBe('connection_failed');
    expect(heard([code, 6])).toBe('connection_failed');
  });

  test('this machine, when its packet filter or its routes forbid', () => {
    expect(heard(['EPERM', 4])).toBe('internal');
    expect(heard(['EACCES', 4])).toBe('internal');
    expect(heard(['EPERM', 6])).toBe('internal');
  });

  test("the way there, when a router of IPv6 says that it's prohibited", () => {
    expect(heard(['EACCES', 6])).toBe('connection_failed');
  });

  test('this machine, when it has nothing left', () => {
    expect(heard(['EADDRNOTAVAIL', 4])).toBe('overloaded');
    expect(heard(['EMFILE', 6])).toBe('overloaded');
    expect(heard(['ECONNREFUSED', 4], ['ENOBUFS', 4])).toBe('overloaded');
  });

  test.each(['ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES', 'EPERM'])(
    'whatever the IPv4 address says, on a machine where IPv6 fails with %s',
    (code) => {
      expect(heard([code, 6], ['ECONNREFUSED', 4])).toBe('connection_refused');
      expect(heard([code, 6], ['ETIMEDOUT', 4])).toBe('connection_timed_out');
      expect(heard([code, 6], ['EPERM', 4])).toBe('internal');
    },
  );

  test('this proxy, when it is none of them', () => {
    expect(refusalFor([new Error('a defect')])).toBe('internal');
  });
});
