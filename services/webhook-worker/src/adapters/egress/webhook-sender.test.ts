import { afterEach, describe, expect, test } from '@jest/globals';
import { watchForStalls } from './webhook-sender.js';

let watch: ReturnType<typeof watchForStalls> | undefined;
afterEach(() => watch?.stop());

describe('detection of stalls', () => {
  test('the stall watch detects a stall even before its own timer runs', () => {
    let nowMs = 0;
    watch = watchForStalls(() => nowMs);
    nowMs = 900;
    expect(watch.stalledSince(0)).toBe(false);
    nowMs = 1_900;
    expect(watch.stalledSince(900)).toBe(true);
    nowMs = 2_000;
    expect(watch.stalledSince(1_000)).toBe(true);
  });

  test('the stall watch does not report a stall that ended before the given time', () => {
    let nowMs = 0;
    watch = watchForStalls(() => nowMs);
    nowMs = 5_000;
    expect(watch.stalledSince(5_000)).toBe(false);
  });
});
