import { describe, expect, test } from '@jest/globals';
import { DialFailure, kindOf, refusalFor } from './dial.js';

function heard(...failures: readonly (readonly [code: string, family: 4 | 6])[]) {
  return refusalFor(failures.map(([code, family]) => new DialFailure(kindOf({ code }, family))));
}

describe('errors from connect(2)', () => {
  test.each(['ENETUNREACH', 'EHOSTUNREACH', 'ECONNRESET', 'E_OF_TOMORROW'])(
    'the error %s is blamed on the route',
    (code) => {
      expect(heard([code, 4])).toBe('connection_failed');
      expect(heard([code, 6])).toBe('connection_failed');
    },
  );

  test('this machine is blamed if its packet filter or routes forbid the connection', () => {
    expect(heard(['EPERM', 4])).toBe('internal');
    expect(heard(['EACCES', 4])).toBe('internal');
    expect(heard(['EPERM', 6])).toBe('internal');
  });

  test('the route is blamed if an IPv6 router forbids the connection', () => {
    expect(heard(['EACCES', 6])).toBe('connection_failed');
  });

  test('this machine is blamed if its resources are exhausted', () => {
    expect(heard(['EADDRNOTAVAIL', 4])).toBe('overloaded');
    expect(heard(['EMFILE', 6])).toBe('overloaded');
    expect(heard(['ECONNREFUSED', 4], ['ENOBUFS', 4])).toBe('overloaded');
  });

  test.each(['ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES', 'EPERM'])(
    'the error of the IPv4 connection is reported if the IPv6 connection fails with %s',
    (code) => {
      expect(heard([code, 6], ['ECONNREFUSED', 4])).toBe('connection_refused');
      expect(heard([code, 6], ['ETIMEDOUT', 4])).toBe('connection_timed_out');
      expect(heard([code, 6], ['EPERM', 4])).toBe('internal');
    },
  );

  test('this proxy is blamed if the error is unknown', () => {
    expect(refusalFor([new Error('a defect')])).toBe('internal');
  });
});
