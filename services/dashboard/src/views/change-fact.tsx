import type { EvidencedChange } from '@artist-watch/contracts/api/change';
import { firstObserved } from '@artist-watch/domain/change/change-types';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { VNode } from 'preact';
import { SeverityBadge } from './badge.js';
import { Instant, spanText } from './instant.js';
import { counted } from './text.js';

/** Shows a line such as "Removed from Deezer · first missing 26 Nov, 20:07 · confirmed by 3 checks". */
interface FactLineProps {
  readonly change: EvidencedChange;
  readonly platformName: string;
  /** Adds the time zone, for readers who are not members. */
  readonly isExact?: boolean;
}

export function FactLine({ change, platformName, isExact = false }: FactLineProps): VNode {
  const { type, severity, detectedAt, confirmedAt } = change;
  const counts = countedObservations(change);
  return (
    <p class="fact-line">
      <SeverityBadge severity={severity} /> <strong>{factOf(type, platformName)}</strong>
      {` · ${firstObserved(type)} `}
      <Instant at={detectedAt} isShort={!isExact} isExact={isExact} />
      {` · ${confirmationText(change)}`}
      {counts.length > 1 && ` within ${spanText(detectedAt, confirmedAt)}`}
    </p>
  );
}

function factOf(type: string, platformName: string): string {
  const [, what] = /^(?:release|track)_(added|removed|restored)$/.exec(type) ?? [];
  if (what === 'added') return `Added to ${platformName}`;
  if (what === 'removed') return `Removed from ${platformName}`;
  return what === 'restored' ? `Back on ${platformName}` : changeTitle(type);
}

export function confirmationText(change: EvidencedChange): string {
  if (change.origin === 'reported') return 'reported through the API';
  return `confirmed by ${counted(countedObservations(change).length, 'check')}`;
}

function countedObservations({ observations }: EvidencedChange): EvidencedChange['observations'] {
  return observations.filter(({ kind }) => kind === 'counted');
}
