import { describe, expect, test } from '@jest/globals';
import { newArtistId, newId } from './ids.js';

describe('ids', () => {
  test('ids consist of the prefix, 12 hex digits for the millisecond and 20 random hex digits', () => {
    const at = new Date('2026-11-21T12:00:00.123Z');
    const id = newId('dlv', at);
    expect(id).toMatch(/^dlv_[0-9a-f]{32}$/);
    expect(Number.parseInt(id.slice(4, 16), 16)).toBe(at.getTime());
  });

  test('ids sort by time as plain text', () => {
    const instants = [0, 1, 255, 256, 1_700_000_000_000, 1_700_000_000_001, 4_102_444_800_000];
    const ids = instants.map((ms) => newId('chg', new Date(ms)));
    expect([...ids].sort()).toEqual(ids);
  });

  test('ids created in the same millisecond differ', () => {
    const at = new Date();
    expect(new Set(Array.from({ length: 1_000 }, () => newId('att', at))).size).toBe(1_000);
  });

  test('artist ids do not contain a time', () => {
    const ids = Array.from({ length: 200 }, () => newArtistId());
    for (let place = 4; place < 36; place += 1) expect(new Set(ids.map((id) => id[place])).size).toBeGreaterThan(8);
  });
});
