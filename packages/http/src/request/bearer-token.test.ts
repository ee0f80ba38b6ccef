import { describe, expect, test } from '@jest/globals';
import { bearerToken } from './bearer-token.js';

describe('the Authorization header', () => {
  test.each(['Bearer aw_live_x', 'bearer aw_live_x', 'BEARER   aw_live_x'])('%j brings a token', (header) => {
    expect(bearerToken(header)).toBe('aw_live_x');
  });

  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'aw_live_x',
    'Basic aw_live_x',
    'Beareraw_live_x',
    'Bearer aw live',
    'Bearer "x"',
    'Bearer\taw_live_x',
    'Bearer x, Bearer y',
  ])('%j brings none', (header) => {
    expect(bearerToken(header)).toBeUndefined();
  });
});
