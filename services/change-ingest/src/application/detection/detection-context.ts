import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { SnapshotId } from '@artist-watch/domain/ids';
import type { ScheduleSettings } from '../polling/schedule.js';

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
