import { describe, expect, test } from '@jest/globals';
import { LookupHealth } from './lookup-health.js';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('suspicion of the name servers', () => {
  test('name servers are suspected if lookups of five different names fail in a row after a success', () => {
    const health = new LookupHealth();
    health.answered();
    expect(names.map((name) => health.failed(name))).toEqual([false, false, false, false, true, true]);
  });

  test('name servers are not suspected because of a single name, however often its lookup fails', () => {
    const health = new LookupHealth();
    health.answered();
    expect(Array.from({ length: 50 }, () => health.failed('a')).includes(true)).toBe(false);
  });

  test('name servers are no longer suspected after a successful lookup', () => {
    const health = new LookupHealth();
    health.answered();
    for (const name of names) health.failed(name);
    health.answered();
    expect(health.failed('g')).toBe(false);
  });

  test('name servers are not suspected before their first response, because the proxy may have none', () => {
    const health = new LookupHealth();
    expect(names.map((name) => health.failed(name)).includes(true)).toBe(false);
  });
});
