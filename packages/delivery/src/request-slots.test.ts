import { describe, expect, test } from '@jest/globals';
import { RequestSlots } from './request-slots.js';

const user = (accountId: string, target = 'a.example') => ({ accountId, target });

describe('RequestSlots', () => {
  test('each account can use at most an eighth of all request slots', async () => {
    const slots = new RequestSlots(64);
    const entries = Array.from({ length: 30 }, (_, n) => slots.enter(user('acc_slow', `host${n}.example`)));
    expect(entries.filter((entry) => entry === true)).toHaveLength(8);
    expect(slots.inUse).toBe(8);
    expect(slots.enter(user('acc_other'))).toBe(true);
    expect(entries.filter((entry) => entry === false)).toHaveLength(30 - 8 - 16);
  });

  test('each account can use at most 16 request slots per host', () => {
    const slots = new RequestSlots(256);
    const entries = Array.from({ length: 20 }, () => slots.enter(user('acc_1', 'victim.example')));
    expect(entries.filter((entry) => entry === true)).toHaveLength(16);
    expect(slots.enter(user('acc_1', 'other.example'))).toBe(true);
  });

  test('a free slot goes to the first waiting request whose limits allow it', async () => {
    const slots = new RequestSlots(8);
    await slots.enter(user('acc_1'));
    await slots.enter(user('acc_2'));
    const waiting = slots.enter(user('acc_1'));
    slots.leave(user('acc_2'));
    expect(slots.inUse).toBe(1);
    slots.leave(user('acc_1'));
    await expect(waiting).resolves.toBe(true);
  });

  test('a request that has stopped waiting never gets a slot', async () => {
    const slots = new RequestSlots(8, 1);
    await slots.enter(user('acc_1'));
    await expect(slots.enter(user('acc_1'))).resolves.toBe(false);
    slots.leave(user('acc_1'));
    expect(slots.inUse).toBe(0);
    expect(slots.enter(user('acc_1'))).toBe(true);
  });
});
