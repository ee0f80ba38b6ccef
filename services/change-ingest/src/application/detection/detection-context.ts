import type { Platform } from '@artist-watch/domain/catalogue';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import type { ChangeId, SnapshotId } from '@artist-watch/domain/ids';
import type { ScheduleSettings } from '../polling/schedule.js';

export interface DetectionSettings extends ScheduleSettings {
  readonly confirmation: ConfirmationSettings;
}

export interface DetectionContext {
  readonly platform: Platform;
  readonly settings: DetectionSettings;
  readonly now: Date;
  /** Under which the reading is kept, if it is. */
  readonly snapshotId: SnapshotId;
  /** Removals touch so many artists that all of them are held. */
  readonly fleetBrakes: boolean;
  /** Where the reading stands in a trace. */
  readonly traceparent: string | null;
  newChangeId(): ChangeId;
}
