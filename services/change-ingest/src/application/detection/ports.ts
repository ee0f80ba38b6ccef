import type { Reading } from './reading.js';
import type { ReadingSettlement } from './settlement.js';

/** A reading that was processed, durably. */
export interface ProcessedReading {
  readonly reading: Reading;
  readonly settlement: ReadingSettlement;
}

export interface ReadingIntake {
  /**
   * Decides what a reading makes of its artist, and writes that in one transaction: suspicions, confirmed changes with
   * their feed rows and deliveries, the baseline, the time of the next reading. Processing a reading twice is harmless.
   */
  process(reading: Reading): Promise<ProcessedReading>;
}
