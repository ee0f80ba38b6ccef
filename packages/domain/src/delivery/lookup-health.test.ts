import { describe, expect, test } from '@jest/globals';
import { LookupHealth } from './lookup-health.js';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('name servers', () => {
  test('are to blame once they have answered and then five names in a row fail', () => {
    const health = new LookupHealth();
    health.answered();
    expect(names.map((name) => health.failed(name))).toEqual([false, false, false, false, true, true]);
  });

  test('are not to blame for one name, however often it fails', () => {
    const health = new LookupHealth();
    health.answered();
    expect(Array.from({ length: 50 }, () => health.failed('a')).includes(true)).toBe(false);
  });

  test('are cleared by an answer', () => {
    const health = new LookupHealth();
    health.answered();
    for (const name of names) health.failed(name);
    health.answered();
    expect(health.failed('g')).toBe(false);
  });

  test('that have never answered are not suspected: there may be none', () => {
    const health = new LookupHealth();
    expect(names.map((name) => health.failed(name)).includes(true)).toBe(false);
  });
});
