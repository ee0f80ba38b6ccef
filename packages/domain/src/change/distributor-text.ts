import { changeTitle } from '../channel/change-message.js';
import { dateFormats } from '../zoned-time.js';
import { type EntityType, firstObserved } from './change-types.js';
import { type ChangeValues, changeValueText } from './change-value.js';

interface EvidencedChange extends ChangeValues {
  readonly id: string;
  readonly type: string;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly entityName: string;
  readonly artistName: string;
  readonly releaseId: string | null;
  readonly releaseName: string | null;
  readonly summary: string;
  readonly detectedAt: Date;
  readonly confirmedAt: Date;
  /** The change was confirmed by the observations of kind `counted`. */
  readonly observations: ReadonlyArray<{ readonly kind: string }>;
}

/**
 * Returns a letter to the distributor that requests a correction. A removed release is listed with its removed tracks.
 * @param changes at least one
 * @param urls the platform's page for each change, or null
 * @param sender the account's name
 */
export function distributorText(
  changes: readonly EvidencedChange[],
  platformName: string,
  urls: readonly (string | null)[],
  sender: string,
): string {
  const releases = new Set(changes.flatMap(({ type, entityId }) => (type === 'release_removed' ? entityId : [])));
  const isPart = ({ type, releaseId }: EvidencedChange) => type === 'track_removed' && releases.has(releaseId ?? '');
  const main = changes.filter((change) => !isPart(change));
  const [first] = main as [EvidencedChange];
  const isRemoval = main.every(({ type }) => isRemovalType(type));
  const isOne = main.length === 1;
  const names = [...new Set(main.map(nameOf))];
  const [name] = names as [string];
  const subject = names.length === 1 ? `${name}${upcText(first)}` : `${names.length} titles by ${first.artistName}`;
  const lines = [
    `Subject: Please ${isRemoval ? 'reinstate' : 'check'} ${subject} on ${platformName}`,
    '',
    'Hello,',
    '',
    isRemoval
      ? `We didn't request ${isOne ? 'this removal' : 'these removals'} from ${platformName}:`
      : `We didn't request ${isOne ? 'this change' : 'these changes'} on ${platformName}:`,
    ...main.flatMap((change) => {
      const tracks = changes.filter((other) => isPart(other) && other.releaseId === change.entityId);
      return ['', ...factLines(change, platformName, urls[changes.indexOf(change)] ?? null, tracks)];
    }),
    '',
    isRemoval
      ? `Please reinstate ${isOne ? 'it' : 'them'}, and let us know why ${isOne ? 'it was' : 'they were'} removed.`
      : `Please restore the ${isOne ? valueLabel('Old', first.type).replace('O', 'o') : 'old values'}, and let us know what happened.`,
    '',
    'Thank you',
    sender,
  ];
  return lines.join('\n');
}

export function isRemovalType(type: string): boolean {
  return type === 'release_removed' || type === 'track_removed';
}

function nameOf({ entityType, entityName, artistName }: EvidencedChange): string {
  return entityType === 'artist' ? artistName : `“${entityName}” by ${artistName}`;
}

function upcText({ before }: EvidencedChange): string {
  return before?.kind === 'release' && before.value.upc ? ` (UPC ${before.value.upc})` : '';
}

function factLines(
  change: EvidencedChange,
  platformName: string,
  url: string | null,
  tracks: readonly EvidencedChange[],
): string[] {
  const { type, before, after, observations, summary, entityId, releaseName, detectedAt, confirmedAt, id } = change;
  const release = before?.kind === 'release' ? before.value : null;
  const track = before?.kind === 'track' ? before.value : null;
  const isReadable = release === null && track === null && after?.kind !== 'picture';
  const checks = observations.filter(({ kind }) => kind === 'counted').length;
  const lines = [
    summary,
    releaseName !== null && `Release: ${releaseName}`,
    release?.label && `Label: ${release.label}`,
    release?.upc && `UPC: ${release.upc}`,
    release?.releaseDate && `Release date: ${release.releaseDate}`,
    release?.trackCount && `Tracks: ${release.trackCount}`,
    ...tracks.map(({ before: value, entityName }) => `- ${value === null ? entityName : changeValueText(value)}`),
    track?.isrc && `ISRC: ${track.isrc}`,
    `${platformName} ID: ${entityId}`,
    url !== null && `Link: ${url}`,
    isReadable && before !== null && `${valueLabel('Old', type)}: ${changeValueText(before)}`,
    isReadable && after !== null && `${valueLabel('New', type)}: ${changeValueText(after)}`,
    `${changeTitle(firstObserved(type))}: ${minuteOf(detectedAt)}`,
    `Confirmed: ${minuteOf(confirmedAt)}${checks > 1 ? `, by ${checks} checks` : ''}`,
    `Reference: ${id}`,
  ];
  return lines.filter((line) => typeof line === 'string' && line !== '') as string[];
}

/** For example "Old ISRC" or "New title". */
export function valueLabel(age: 'Old' | 'New', type: string): string {
  const [, field = 'value'] = /^(?:artist_|release_|track_)?(.+)_changed$/.exec(type) ?? [];
  return changeTitle(`${age}_${field}`);
}

const MINUTES = dateFormats({ dateStyle: 'medium', timeStyle: 'short' });

/** Times are in UTC, because the distributor's time zone is unknown. */
function minuteOf(at: Date): string {
  return `${MINUTES('en-GB', 'UTC').format(at)} UTC`;
}
