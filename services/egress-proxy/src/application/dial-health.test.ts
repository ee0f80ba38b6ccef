import { type IpAddress, parseIpAddress } from '@artist-watch/address-policy/ip-address';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { DialHealth, type ReachedHost } from './dial-health.js';

const address = parseIpAddress('8.8.8.8') as IpAddress;
const dead = ['a', 'b', 'c', 'd', 'e'].map((host, index) => ({ host, address, port: 8001 + index }));
const [f, g, h, i] = ['f', 'g', 'h', 'i'].map((host, index) => ({ host, address, port: 9001 + index })) as [
  ReachedHost,
  ReachedHost,
  ReachedHost,
  ReachedHost,
];

let health: DialHealth;
beforeEach(() => {
  health = new DialHealth();
});

function reach(...hosts: readonly ReachedHost[]): void {
  for (const host of hosts) health.reached(host, 0);
}

function lose(hosts: readonly { host: string }[], dialBeganAtMs = 1): void {
  for (const { host } of hosts) health.lost(host, dialBeganAtMs);
}

describe('a way out', () => {
  test('is suspected once five hosts in a row are lost that were reached before', () => {
    reach(...dead, f);
    lose(dead.slice(0, 4));
    expect(health.wayOut(2)).toBe('there');
    lose(dead.slice(4));
    expect(health.wayOut(2)).toBe('unsure');
  });

  test('is not suspected for one host, however often it is lost', () => {
    reach(...dead, f);
    lose(Array(50).fill(dead[0]));
    expect(health.wayOut(2)).toBe('there');
  });

  test('is not suspected for any number of hosts that were never reached', () => {
    reach(f);
    lose(Array.from({ length: 50 }, (_, index) => ({ host: `gone ${index}` })));
    expect(health.wayOut(2)).toBe('there');
  });

  test('is not suspected for hosts whose dial began before the last success', () => {
    reach(...dead);
    health.reached(f, 20);
    lose(dead, 19);
    expect(health.wayOut(8_000)).toBe('there');
    lose(dead, 21);
    expect(health.wayOut(8_000)).toBe('unsure');
  });

  test('is there again once any host is reached', () => {
    reach(...dead, f);
    lose(dead);
    health.unanswered([f], 2, 3);
    expect(health.wayOut(4)).toBe('lost');
    health.reached(g, 4);
    expect(health.wayOut(4)).toBe('there');
    lose(dead, 5);
    expect(health.wayOut(6)).toBe('unsure');
  });

  test('is lost for five seconds when no witness answers, then they are asked again', () => {
    reach(...dead, f);
    lose(dead);
    health.unanswered([f], 100, 1_000);
    expect([1_000, 5_999, 6_000].map((nowMs) => health.wayOut(nowMs))).toEqual(['lost', 'lost', 'unsure']);
  });

  test('is not lost when another host was reached while the witnesses were silent', () => {
    reach(...dead, f);
    lose(dead);
    health.reached(g, 101);
    lose(dead, 102);
    health.unanswered([f], 100, 1_000);
    expect(health.wayOut(1_000)).toBe('unsure');
  });

  test('is there for a second when a witness answers, whoever is lost', () => {
    reach(...dead, f);
    lose(dead);
    health.answered(f, 1_000);
    lose(dead, 1_001);
    expect([1_002, 1_999, 2_000].map((nowMs) => health.wayOut(nowMs))).toEqual(['there', 'there', 'unsure']);
  });
});

describe('the witnesses', () => {
  test('are those of three other hosts that were reached last', () => {
    reach(f, g, h, i, ...dead, g);
    lose(dead);
    expect(health.witnesses()).toEqual([g, i, h]);
  });

  test('are none when nobody else was ever reached', () => {
    reach(...dead);
    lose(dead);
    expect(health.witnesses()).toEqual([]);
  });

  test('are not several hosts of one address and port', () => {
    reach(f, { ...g, host: 'another g' }, g, ...dead);
    lose(dead);
    expect(health.witnesses()).toEqual([g, f]);
  });

  test('that kept silent are asked again behind others, also when they are lost themselves', () => {
    reach(f, g, h, i, ...dead);
    lose(dead);
    health.unanswered([i, h, g], 2, 3);
    expect(health.witnesses()).toEqual([f, i, h]);
    lose([f, g, h, i]);
    expect(health.witnesses()).toEqual([i, h, g]);
  });

  test('that answered are asked first the next time', () => {
    reach(f, g, ...dead);
    lose(dead);
    health.answered(f, 2);
    lose(dead, 3);
    expect(health.witnesses()).toEqual([f, g]);
  });

  test('are not those that were reached the longest ago, so that the memory is bounded', () => {
    reach(f, g);
    health.reached(f, 0);
    for (let index = 0; index < 9_999; index += 1) health.reached({ host: `other ${index}`, address, port: 443 }, 0);
    lose(Array.from({ length: 9_999 }, (_, index) => ({ host: `other ${index}` })));
    expect(health.witnesses()).toEqual([f]);
  });
});
