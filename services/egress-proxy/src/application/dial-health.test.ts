import { beforeEach, describe, expect, test } from '@jest/globals';
import { DialHealth } from './dial-health.js';

const hosts = ['a', 'b', 'c', 'd', 'e', 'f'];
let health: DialHealth;
beforeEach(() => {
  health = new DialHealth();
});

describe('the way out of a proxy', () => {
  test('is to blame once five hosts in a row are lost that were reached before, then for whatever host', () => {
    for (const host of hosts) health.reached(host);
    expect(hosts.map((host) => health.lost(host))).toEqual([false, false, false, false, true, true]);
    expect(health.lost('never reached')).toBe(true);
  });

  test('is not to blame for one host, however often it is lost', () => {
    for (const host of hosts) health.reached(host);
    expect(Array.from({ length: 50 }, () => health.lost('a')).includes(true)).toBe(false);
  });

  test('is not to blame for any number of hosts that were never reached', () => {
    health.reached('a');
    expect(Array.from({ length: 50 }, (_, index) => health.lost(`gone ${index}`)).includes(true)).toBe(false);
  });

  test('is cleared by any host that is reached', () => {
    for (const host of hosts) health.reached(host);
    for (const host of hosts) health.lost(host);
    health.reached('g');
    expect(health.lost('a')).toBe(false);
  });

  test('forgets the hosts that were reached the longest ago, so that its memory is bounded', () => {
    for (const host of hosts) health.reached(host);
    health.reached('a');
    for (let index = 0; index < 9_999; index += 1) health.reached(`other ${index}`);
    const lost = ['b', 'c', 'd', 'e', 'f', 'other 0', 'other 1', 'other 2', 'other 3'];
    expect(lost.map((host) => health.lost(host)).includes(true)).toBe(false);
    expect(health.lost('a')).toBe(true);
  });
});
