import { describe, expect, test } from '@jest/globals';
import { RequestSlots } from './request-slots.js';

const user = (accountId: string, target = 'a.example') => ({ accountId, target });

describe('RequestSlots', () => {
  test('limits each account to an eighth of all slots', async () => {
    const slots = new RequestSlots(64);
    const entries = Array.from({ length: 30 }, (_, n) => slots.enter(user('acc_slow', `host${n}.example`)));
    expect(entries.filter((entry) => entry === true)).toHaveLength(8);
    expect(slots.inUse).toBe(8);
    expect(slots.enter(user('acc_other'))).toBe(true);
    expect(entries.filter((entry) => entry === false)).toHaveLength(30 - 8 - 16);
  });

  test('limits each account to 16 slots per host', () => {
    const slots = new RequestSlots(256);
    const entries = Array.from({ length: 20 }, () => slots.enter(user('acc_1', 'victim.example')));
    expect(entries.filter((entry) => entry === true)).toHaveLength(16);
    expect(slots.enter(user('acc_1', 'other.example'))).toBe(true);
  });

  test('gives a free slot to the first waiting request whose limits allow it', async () => {
    const slots = new RequestSlots(8);
    await slots.enter(user('acc_1'));
    await slots.enter(user('acc_2'));
    const waiting = slots.enter(user('acc_1'));
    slots.leave(user('acc_2'));
    expect(slots.inUse).toBe(1);
    slots.leave(user('acc_1'));
    await expect(waiting).resolves.toBe(true);
  });

  test('never gives a slot to a request that has stopped waiting', async () => {
    const slots = new RequestSlots(8, 1);
    await slots.enter(user('acc_1'));
    await expect(slots.enter(user('acc_1'))).resolves.toBe(false);
    slots.leave(user('acc_1'));
    expect(slots.inUse).toBe(0);
    expect(slots.enter(user('acc_1'))).toBe(true);
  });
});
