import { type ChangeValue, changeValueText } from '@artist-watch/domain/change/change-value';
import { changeTitle } from '@artist-watch/domain/channel/change-message';

interface ChangeToReport {
  readonly id: string;
  readonly artistName: string;
  readonly entityType: string;
  readonly entityName: string;
  readonly entityId: string;
  readonly releaseName: string | null;
  readonly summary: string;
  readonly detectedAt: Date;
  readonly confirmedAt: Date;
  readonly before: ChangeValue | null;
  readonly after: ChangeValue | null;
  readonly observations: ReadonlyArray<{ readonly kind: string }>;
}

/** What to write to the distributor: everything that it needs to find the thing, and what is asked of it. */
export function distributorText(change: ChangeToReport, platformName: string, url: string | null): string {
  const { before, after, observations } = change;
  const counted = observations.filter(({ kind }) => kind === 'counted').length;
  const lines = [
    change.summary,
    '',
    `Platform: ${platformName}`,
    `Artist: ${change.artistName}`,
    `${change.entityType === 'artist' ? 'Id' : changeTitle(change.entityType)}: ${nameOf(change)}`,
    change.releaseName !== null && `On the release: ${change.releaseName}`,
    url !== null && `Address: ${url}`,
    before !== null && `Before: ${changeValueText(before)}`,
    after !== null && `After: ${changeValueText(after)}`,
    `First seen: ${minuteOf(change.detectedAt)}`,
    `Confirmed: ${minuteOf(change.confirmedAt)}${counted > 1 ? `, by ${counted} observations` : ''}`,
    `Reference: ${change.id}`,
    '',
    'Was this intended? If it was not, please correct it, and write to us when that is done.',
  ];
  return lines.filter((line) => line !== false).join('\n');
}

function nameOf({ entityType, entityName, entityId }: ChangeToReport): string {
  return entityType === 'artist' ? entityId : `${entityName} (${entityId})`;
}

/** 2026-05-31 12:00 UTC: whoever reads it sits anywhere. */
function minuteOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
