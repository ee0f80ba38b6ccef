import type { Clock } from '@artist-watch/runtime/clock';

/** Moves only when the test moves it. */
export class TestClock implements Clock {
  #nowMs: number;

  constructor(start: Date | string = '2026-03-01T12:00:00.000Z') {
    this.#nowMs = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  advance(durationMs: number): Date {
    this.#nowMs += durationMs;
    return this.now();
  }

  set(instant: Date | string): Date {
    this.#nowMs = new Date(instant).getTime();
    return this.now();
  }
}
