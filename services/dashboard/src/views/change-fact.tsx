import type { EvidencedChange } from '@artist-watch/contracts/api/change';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { VNode } from 'preact';
import { SeverityBadge } from './badge.js';
import { Instant, spanText } from './instant.js';

/** Shows a line such as "Removed from Deezer · first missing 26 Nov, 20:07 · verified 3 times". */
export function FactLine({ change, platformName }: { change: EvidencedChange; platformName: string }): VNode {
  const { type, severity, detectedAt, confirmedAt } = change;
  const counts = countedObservations(change);
  const methods = new Set(counts.flatMap(({ readings }) => readings.map(({ read }) => read))).size;
  return (
    <p class="fact-line">
      <SeverityBadge severity={severity} /> <strong>{factOf(type, platformName)}</strong>
      {` · first ${/_removed$/.test(type) ? 'missing' : 'seen'} `}
      <Instant at={detectedAt} isShort />
      {` · ${timesVerified(change)}`}
      {counts.length > 1 && ` in ${spanText(detectedAt, confirmedAt)}`}
      {methods > 1 && `, by ${methods} methods`}
    </p>
  );
}

function factOf(type: string, platformName: string): string {
  const [, what] = /^(?:release|track)_(added|removed|restored)$/.exec(type) ?? [];
  if (what === 'added') return `Added to ${platformName}`;
  if (what === 'removed') return `Removed from ${platformName}`;
  return what === 'restored' ? `Back on ${platformName}` : changeTitle(type);
}

export function timesVerified(change: EvidencedChange): string {
  if (change.origin === 'reported') return 'reported by another detector';
  const { length } = countedObservations(change);
  return length === 1 ? 'verified once' : `verified ${length} times`;
}

function countedObservations({ observations }: EvidencedChange): EvidencedChange['observations'] {
  return observations.filter(({ kind }) => kind === 'counted');
}
