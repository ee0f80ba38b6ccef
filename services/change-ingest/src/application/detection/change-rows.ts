import { webhookBody } from '@artist-watch/contracts/webhook-payload';
import { changeValues } from '@artist-watch/domain/change/change-value';
import { summarise } from '@artist-watch/domain/change/summary';
import type { Advance } from '@artist-watch/domain/detection/confirmation';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { ArtistDetection, PollState } from '@artist-watch/persistence/polling/artist-rows';
import type { ChangeWrite } from '@artist-watch/persistence/polling/settlement-writes';
import type { DetectionContext } from './artist-observation.js';

export interface ChangedArtist {
  readonly pollState: PollState;
  readonly name: string;
  readonly detection: ArtistDetection | null;
  readonly observedAt: Date;
  readonly context: DetectionContext;
}

export function changeRows(
  advance: Advance,
  { pollState, name, detection, observedAt, context }: ChangedArtist,
): ChangeWrite[] {
  const { id: artistId, platformId } = pollState;
  const { platform, traceparent } = context;
  const row = ({ key, difference, observations, notes, held }: Suspicion): ChangeWrite => ({
    id: detection?.suspicionIds.get(key) ?? context.newChangeId(),
    artistId,
    artistName: name,
    state: held ? 'held' : 'suspected',
    type: difference.type,
    severity: difference.severity,
    entityType: difference.entityType,
    entityId: difference.entityId,
    entityName: difference.entityName,
    summary: summarise(difference, name, platform),
    detectedAt: observations[0].observedAt,
    confirmedAt: null,
    dismissedAt: null,
    dismissedReason: null,
    differenceKey: key,
    difference,
    observations,
    notes,
    webhookBody: null,
    traceparent: null,
  });
  return [
    ...[...advance.opened, ...advance.strengthened, ...advance.noted].map(row),
    ...advance.confirmed.map(({ suspicion, detectedAt, confirmedAt }): ChangeWrite => {
      const change = { ...row(suspicion), state: 'confirmed', detectedAt, confirmedAt, traceparent } as const;
      const artist = { id: artistId, platformId, name };
      // Every attempt of every delivery must send the same bytes.
      return {
        ...change,
        webhookBody: webhookBody({ ...change, platform, artist, ...changeValues(suspicion.difference) }),
      };
    }),
    ...advance.dismissed.map(
      ({ suspicion, reason }): ChangeWrite => ({
        ...row(suspicion),
        state: 'dismissed',
        dismissedAt: observedAt,
        dismissedReason: reason,
      }),
    ),
  ];
}
