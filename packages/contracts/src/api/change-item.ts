import type { Platform } from '@artist-watch/domain/catalogue';
import type { ChangeValue } from '@artist-watch/domain/change/change-value';
import type { CustomerObservation } from '@artist-watch/domain/detection/customer-evidence';
import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-id';
import { type ChangeDetail, type ChangeItem, presentFields, presentObservation } from './change.js';
import { changeValueItem, shortValues } from './change-value.js';
import type { Shown } from './shown.js';

type ValuesAndEvidence = 'platformUrl' | 'before' | 'after' | 'origin' | 'observations';

/** A confirmed change as the record has it for the accounts that watch the artist. */
export interface ConfirmedChange extends Omit<Shown<ChangeDetail>, ValuesAndEvidence> {
  readonly platform: Platform;
  readonly before: ChangeValue | null;
  readonly after: ChangeValue | null;
}

export interface EvidencedChange extends ConfirmedChange {
  readonly origin: 'observed' | 'reported';
  readonly observations: readonly CustomerObservation[];
}

/** An item of a list. Does not depend on who asks, nor on when. */
export function changeItem(change: ConfirmedChange): ChangeItem {
  return { ...changeFields(change), ...shortValues(change) };
}

export function changeDetail({ origin, observations, ...change }: EvidencedChange): ChangeDetail {
  const presented = observations.map((one) => presentObservation({ ...one, seen: changeValueItem(one.seen) }));
  return { ...changeInFull(change), origin, observations: presented };
}

/** With its values, however long they are. */
export function changeInFull(change: ConfirmedChange) {
  return {
    ...changeFields(change),
    before: changeValueItem(change.before),
    after: changeValueItem(change.after),
    release_id: change.releaseId,
    release_name: change.releaseName,
  };
}

export function changeFields(change: ConfirmedChange): Omit<ChangeItem, 'before' | 'after'> {
  const { platform, entityType, entityId } = change;
  return presentFields({ ...change, platformUrl: knownPlatformUrl(platform, entityType, entityId) });
}
