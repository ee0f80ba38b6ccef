import { describe, expect, test } from '@jest/globals';
import { LookupHealth } from './lookup-health.js';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('suspected name servers', () => {
  test('name servers are suspected of an outage if lookups of five different names fail in a row after a success', () => {
    const health = new LookupHealth();
    health.answered();
    expect(names.map((name) => health.failed(name))).toEqual([false, false, false, false, true, true]);
  });

  test('name servers are not suspected of an outage because of a single name, however often its lookup fails', () => {
    const health = new LookupHealth();
    health.answered();
    expect(Array.from({ length: 50 }, () => health.failed('a')).includes(true)).toBe(false);
  });

  test('name servers are no longer suspected of an outage after a successful lookup', () => {
    const health = new LookupHealth();
    health.answered();
    for (const name of names) health.failed(name);
    health.answered();
    expect(health.failed('g')).toBe(false);
  });

  test('name servers are not suspected of an outage before their first response, because the proxy may have none', () => {
    const health = new LookupHealth();
    expect(names.map((name) => health.failed(name)).includes(true)).toBe(false);
  });
});
