import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { ChangeId, SnapshotId } from '@artist-watch/domain/ids';
import type { ScheduleSettings } from '../polling/schedule.js';
import type { Reading } from './reading.js';
import type { ReadingSettlement } from './settlement.js';

/** A reading that was processed, durably. */
export interface ProcessedReading {
  readonly reading: Reading;
  readonly settlement: ReadingSettlement;
  /** By key of the difference, of those that were confirmed. */
  readonly confirmedIds: ReadonlyMap<string, ChangeId>;
}

export interface ReadingIntake {
  /**
   * Decides what a reading makes of its artist, and writes that in one transaction: suspicions, confirmed changes with
   * their feed rows and deliveries, the baseline, the time of the next reading. Processing a reading twice is harmless.
   */
  process(reading: Reading): Promise<ProcessedReading>;
}

export interface DetectionSettings extends ScheduleSettings {
  readonly confirmation: ConfirmationSettings;
}

export interface DetectionContext {
  readonly settings: DetectionSettings;
  readonly now: Date;
  /** Under which the reading is kept, if it is. */
  readonly snapshotId: SnapshotId;
  /** Removals touch so many artists that all of them are held. */
  readonly fleetBrakes: boolean;
}
