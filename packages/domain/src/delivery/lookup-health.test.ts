import { describe, expect, test } from '@jest/globals';
import { LookupHealth } from './lookup-health.js';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('name servers', () => {
  test('are suspected if lookups of five different names fail in a row after a success', () => {
    const health = new LookupHealth();
    health.answered();
    expect(names.map((name) => health.failed(name))).toEqual([false, false, false, false, true, true]);
  });

  test('are not suspected because of a single name, however often it fails', () => {
    const health = new LookupHealth();
    health.answered();
    expect(Array.from({ length: 50 }, () => health.failed('a')).includes(true)).toBe(false);
  });

  test('are no longer suspected after a successful lookup', () => {
    const health = new LookupHealth();
    health.answered();
    for (const name of names) health.failed(name);
    health.answered();
    expect(health.failed('g')).toBe(false);
  });

  test('are not suspected before the first response, because the proxy may have no name servers', () => {
    const health = new LookupHealth();
    expect(names.map((name) => health.failed(name)).includes(true)).toBe(false);
  });
});
