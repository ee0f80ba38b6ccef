import { changeTitle } from '../channel/change-message.js';
import { minuteText, releaseDateText } from '../zoned-time.js';
import { type EntityType, firstObserved, type Severity } from './change-types.js';
import { type ChangeValue, type ChangeValues, changeValueText } from './change-value.js';
import type { ReleaseFacts } from './difference.js';

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
  readonly facts?: ReleaseFacts | undefined;
  /** The change was confirmed by the observations of kind `counted`. */
  readonly observations: ReadonlyArray<{ readonly kind: string }>;
}

type Changes = readonly [EvidencedChange, ...EvidencedChange[]];

interface Sender {
  /** The account's name. */
  readonly name: string;
  /** The IANA time zone of the times in the letter. */
  readonly zone: string;
}

/** A distributor can neither cause nor undo a change in the number of followers. */
export function concernsDistributor({
  type,
  severity,
}: {
  readonly type: string;
  readonly severity: Severity;
}): boolean {
  return severity !== 'info' && !type.startsWith('followers_');
}

/**
 * Returns a letter to the distributor that requests a correction. A removed release is listed with its removed tracks.
 * @param changes at least one
 * @param urls the platform's page for each change, or null
 */
export function distributorText(
  changes: readonly EvidencedChange[],
  platformName: string,
  urls: readonly (string | null)[],
  sender: Sender,
): string {
  const removed = new Set(changes.flatMap(({ type, entityId }) => (type === 'release_removed' ? entityId : [])));
  const isPart = ({ type, releaseId }: EvidencedChange) => type === 'track_removed' && removed.has(releaseId ?? '');
  const main = changes.filter((change) => !isPart(change)) as unknown as Changes;
  const entries = new Map<string, [EvidencedChange, ...EvidencedChange[]]>();
  for (const change of main) {
    const known = entries.get(releaseOf(change));
    if (known) known.push(change);
    else entries.set(releaseOf(change), [change]);
  }
  const [first] = main;
  const name = entries.size === 1 ? nameOf(main) : `${entries.size} titles by ${first.artistName}`;
  const upc = entries.size === 1 ? factsOf(first).upc : undefined;
  const { subject, intro, please } = requestFor(main, `${name}${upc ? ` (UPC ${upc})` : ''}`, platformName);
  const lines = [
    `Subject: Please ${subject} on ${platformName}`,
    '',
    'Hello,',
    '',
    intro,
    ...[...entries.values()].flatMap((entry) => {
      const parts = changes.filter((other) => isPart(other) && other.releaseId === entry[0].entityId);
      const url = urls[changes.indexOf(entry[0])] ?? null;
      return ['', ...entryLines(entry, parts, platformName, url, sender.zone)];
    }),
    '',
    `Please ${please}`,
    '',
    'Kind regards',
    sender.name,
  ];
  return lines.join('\n');
}

export function isRemovalType(type: string): boolean {
  return type === 'release_removed' || type === 'track_removed';
}

function releaseOf({ entityType, entityId, releaseId }: EvidencedChange): string {
  return `${entityType === 'artist' ? entityType : ''} ${releaseId ?? entityId}`;
}

function nameOf([{ entityType, entityName, artistName, releaseName }, ...others]: Changes): string {
  if (entityType === 'artist') return artistName;
  const name = entityType === 'track' && others.length > 0 && releaseName !== null ? releaseName : entityName;
  return `“${name}” by ${artistName}`;
}

/** Returns the facts in the change's values, completed by those from the time of the change. */
function factsOf({ before, facts }: EvidencedChange): ReleaseFacts {
  if (before?.kind !== 'release') return facts ?? {};
  const { label, upc, releaseDate } = before.value;
  return {
    ...facts,
    ...{ label: label ?? facts?.label, upc: upc ?? facts?.upc, releaseDate: releaseDate ?? facts?.releaseDate },
  };
}

const LIST = new Intl.ListFormat('en-GB');

const THINGS = { artist: 'artist page', release: 'release', track: 'track' } as const;

/** Returns the texts that request the right correction for this kind of change. */
function requestFor(main: Changes, name: string, platformName: string) {
  const [{ type, entityType, artistName }] = main;
  const isOne = main.length === 1;
  const [the, these, it, was] = isOne
    ? [`the ${THINGS[entityType]}`, `This ${THINGS[entityType]} is`, 'its', 'it was']
    : [`these ${THINGS[entityType]}s`, `These ${THINGS[entityType]}s are`, 'their', 'they were'];
  const intro = `We didn't request ${isOne ? 'this change' : 'these changes'} on ${platformName}:`;
  if (main.every((change) => isRemovalType(change.type) || change.type === 'artist_removed')) {
    return {
      subject: `reinstate ${name}`,
      intro: `${these} no longer available on ${platformName}, and we didn't request ${it} removal:`,
      please: `reinstate ${the}, and let us know why ${was} removed.`,
    };
  }
  const isSame = main.every((change) => change.type === type);
  if (isSame && type === 'availability_reduced') {
    const please = `make ${the} available in these markets again, and let us know why ${was} removed from them.`;
    return { subject: `make ${name} available again`, intro, please };
  }
  if (isSame && type === 'release_moved') {
    const please = `move ${the} back to the page of ${artistName}, and let us know why ${was} moved.`;
    return { subject: `move ${name} back`, intro, please };
  }
  if (isSame && type === 'artist_merged') {
    return {
      subject: `separate ${name} from the other artist`,
      intro,
      please: 'undo the merge, and let us know what happened.',
    };
  }
  if (main.every((change) => change.type.endsWith('_changed'))) {
    const tracks = new Set(main.map(({ entityId }) => entityId)).size;
    const areTracks = tracks > 1 && main.every((change) => change.entityType === 'track');
    const fields = LIST.format(
      new Set(
        main.map(({ type: changed }) => `${fieldOf(changed)}${areTracks && /isrc|title/.test(changed) ? 's' : ''}`),
      ),
    );
    const please = `restore the old ${fields}, and let us know what happened.`;
    return { subject: `restore the old ${fields} of ${areTracks ? `${tracks} tracks on ` : ''}${name}`, intro, please };
  }
  return { subject: `check ${name}`, intro, please: 'restore the old entries, and let us know what happened.' };
}

/** Lines about all changes to one release, or to one artist page. */
function entryLines(
  changes: Changes,
  parts: readonly EvidencedChange[],
  platformName: string,
  url: string | null,
  zone: string,
): string[] {
  const [first] = changes;
  const { entityType, entityId, releaseName, before, type } = first;
  const { label, upc, releaseDate, tracks = [] } = factsOf(first);
  const isRemoval = isRemovalType(type);
  const isAbout = (other: string) => changes.some((change) => change.type === other);
  const isrcs = tracks.flatMap(({ isrc }) => isrc ?? []);
  const checks = Math.min(
    ...changes.map(({ observations }) => observations.filter(({ kind }) => kind === 'counted').length),
  );
  const count = before?.kind === 'release' ? before.value.trackCount : null;
  const listed =
    parts.length > 0
      ? parts.map(({ before: value, entityName }) => (value === null ? entityName : changeValueText(value)))
      : tracks.map(({ title, isrc }) => `${title ?? 'Track'}${isrc ? ` (ISRC ${isrc})` : ''}`);
  const lines = [
    nameOf(changes),
    entityType === 'track' && changes.length === 1 && releaseName !== null && `Release: ${releaseName}`,
    label && !isAbout('label_changed') && `Label: ${label}`,
    upc && !isAbout('upc_changed') && `UPC: ${upc}`,
    releaseDate && !isAbout('release_date_changed') && `Release date: ${releaseDateText(releaseDate)}`,
    isRemoval && entityType === 'release' && count && `Tracks: ${count}`,
    ...(isRemoval && entityType === 'release' ? listed.map((track) => `- ${track}`) : []),
    isrcs.length > 0 && !(isRemoval && entityType === 'release') && !isAbout('isrc_changed') && isrcsText(isrcs),
    url === null ? `${platformName} ID: ${entityId}` : `${platformName} link: ${url}`,
    ...changes.flatMap((change) => valueLines(change, entityType === 'track' && changes.length > 1)),
    `${changeTitle(firstObserved(type))}: ${minuteText(first.detectedAt, zone)}`,
    `Confirmed: ${minuteText(first.confirmedAt, zone)}${checks > 1 ? `, by ${checks} checks` : ''}`,
    `Reference${changes.length === 1 ? '' : 's'}: ${changes.map(({ id }) => id).join(', ')}`,
  ];
  return lines.filter((line): line is string => typeof line === 'string' && line !== '');
}

function isrcsText(isrcs: readonly string[]): string {
  return `ISRC${isrcs.length === 1 ? '' : 's'}: ${isrcs.join(', ')}`;
}

function valueLines(
  { type, before, after, entityName, summary }: EvidencedChange,
  isNamed: boolean,
): (string | false)[] {
  if (isRemovalType(type) || type === 'artist_removed') return [];
  if (before?.kind === 'markets' && after?.kind === 'markets') {
    return marketFacts(before.value, after.value).map(([label, markets]) => `${label}: ${markets}`);
  }
  // A picture's only text is its id.
  const isText = type.endsWith('_changed') && before?.kind !== 'picture' && after?.kind !== 'picture';
  if (type === 'artwork_changed') return ['Change: new cover'];
  if (!isText || (before === null && after === null)) return [summary];
  const line = (age: 'Old' | 'New', value: ChangeValue | null) =>
    value !== null &&
    `${valueLabel(age, type)}: ${value.kind === 'date' ? releaseDateText(value.value) : changeValueText(value)}`;
  return [isNamed && `Track: ${entityName}`, line('Old', before), line('New', after)];
}

/** Lists the remaining markets only if most were lost, because a release can have 180 markets. */
export function marketFacts(before: readonly string[], after: readonly string[]): (readonly [string, string])[] {
  const [lost, left] = [without(before, after), without(before, without(before, after))];
  const gained = without(after, before);
  const facts = [
    ['Still available in', lost.length > left.length ? left : []],
    [`Removed from ${lost.length} of ${before.length} markets`, lost],
    ['Now also available in', gained],
  ] as const;
  return facts.flatMap(([label, markets]) => (markets.length === 0 ? [] : [[label, markets.join(', ')] as const]));
}

function without(markets: readonly string[], others: readonly string[]): string[] {
  return markets.filter((market) => !others.includes(market));
}

const FIELD_NAMES: Readonly<Record<string, string>> = { artwork: 'cover', image: 'picture', date: 'release date' };

/** For example "ISRC" or "title". */
function fieldOf(type: string): string {
  const [, field = 'value'] = /^(?:artist_|release_|track_)?(.+)_changed$/.exec(type) ?? [];
  return FIELD_NAMES[field] ?? changeTitle(`old_${field}`).slice('Old '.length);
}

/** For example "Old ISRC" or "New title". */
export function valueLabel(age: 'Old' | 'New', type: string): string {
  return `${age} ${fieldOf(type)}`;
}
