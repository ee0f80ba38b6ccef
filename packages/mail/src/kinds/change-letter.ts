import { PLATFORM_NAMES } from '@artist-watch/domain/catalogue';
import { ENTITY_TYPES, firstObserved, SEVERITIES } from '@artist-watch/domain/change/change-types';
import { type ChangeValue, type ChangeValues, changeValueText } from '@artist-watch/domain/change/change-value';
import {
  concernsDistributor,
  distributorText,
  isRemovalType,
  marketFacts,
  valueLabel,
} from '@artist-watch/domain/change/distributor-text';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { PICTURE_ORIGINS, picturePath } from '@artist-watch/domain/platform/picture-file';
import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-id';
import { minuteText, releaseDateText } from '@artist-watch/domain/zoned-time';
import { confirmedChange } from '@artist-watch/persistence/change/confirmed-changes';
import { z } from 'zod';
import { count, type LetterContext, type LetterPart, shown } from '../letter.js';

/** The field names match `CONFIRMED_COLUMNS` in packages/persistence. */
export const fullChangeSchema = z.object({
  id: z.string().transform((id) => id as ChangeId),
  type: z.string(),
  severity: z.enum(SEVERITIES),
  platform: z.enum(['deezer', 'spotify']),
  artistId: z.string().transform((id) => id as ArtistId),
  artistName: z.string(),
  entityType: z.enum(ENTITY_TYPES),
  entityId: z.string(),
  entityName: z.string(),
  summary: z.string(),
  detectedAt: z.coerce.date(),
  confirmedAt: z.coerce.date(),
  recordedAt: z.coerce.date(),
  difference: z.unknown().transform((difference) => difference ?? null),
  // Undefined in emails queued by an earlier version.
  reportedValues: z
    .custom<ChangeValues>()
    .nullish()
    .transform((values) => values ?? null),
  /** Number of observations that confirmed the change. 0 for a reported change. */
  checks: z.number(),
});

type FullChange = z.infer<typeof fullChangeSchema>;
type KnownChange = ReturnType<typeof confirmedChange>;

export function knownChange({ checks: _checks, ...row }: FullChange): KnownChange {
  return confirmedChange(row);
}

export function changeDetails(first: FullChange, account: string, context: LetterContext): LetterPart[] {
  const { checks } = first;
  const change = knownChange(first);
  const { entityType, entityName, artistName, summary, type, severity } = change;
  const subject = entityType === 'artist' ? shown(artistName) : `${shown(entityName)} by ${shown(artistName)}`;
  const cover = coverUrl(change);
  const parts: Array<LetterPart | false> = [
    cover !== undefined && {
      kind: 'image',
      url: cover,
      alt: `${entityType === 'artist' ? 'Picture' : 'Cover'} of ${shown(entityName)}`,
    },
    { kind: 'title', text: subject },
    { kind: 'text', text: shown(summary) },
    { kind: 'facts', items: factsOf(change, checks, context) },
    { kind: 'action', label: 'View change', url: context.link(`/a/${account}/changes/${change.id}`) },
    (isRemovalType(type) || severity === 'critical') &&
      concernsDistributor(change) &&
      distributorPart([{ change, checks }], context),
  ];
  return parts.filter((part) => part !== false);
}

type ListedFields =
  | 'type'
  | 'severity'
  | 'entityType'
  | 'entityId'
  | 'entityName'
  | 'summary'
  | 'detectedAt'
  | 'confirmedAt';

/** A critical change in a list. Its difference is undefined if it is too long for an email. */
interface CriticalChange extends Pick<FullChange, ListedFields | 'checks'> {
  readonly id: string;
  readonly difference?: unknown;
}

/** Returns one letter about all of an artist's critical changes whose values are known. */
export function letterAbout(
  { platform, artistId, artistName }: FullChange,
  changes: readonly CriticalChange[],
  context: LetterContext,
): LetterPart[] {
  const known = changes.flatMap(({ difference, checks, ...fields }) => {
    if (fields.severity !== 'critical' || !difference || !concernsDistributor(fields)) return [];
    const { type, severity, entityType, entityId, entityName, summary, detectedAt, confirmedAt } = fields;
    const change = confirmedChange({
      id: fields.id as ChangeId,
      platform,
      artistId,
      artistName,
      type,
      severity,
      entityType,
      entityId,
      entityName,
      summary,
      detectedAt,
      confirmedAt,
      recordedAt: confirmedAt,
      difference,
      reportedValues: null,
    });
    return [{ change, checks }];
  });
  return known.length === 0 ? [] : [distributorPart(known, context)];
}

function distributorPart(
  known: ReadonlyArray<{ readonly change: KnownChange; readonly checks: number }>,
  { accountName: name, zone }: LetterContext,
): LetterPart {
  const changes = known.map(({ change, checks }) => ({
    ...cleaned(change),
    observations: Array.from({ length: checks }, () => ({ kind: 'counted' })),
  }));
  const urls = changes.map(({ platform, entityType, entityId }) => knownPlatformUrl(platform, entityType, entityId));
  const platformName = changes[0] ? PLATFORM_NAMES[changes[0].platform] : '';
  const text = distributorText(changes, platformName, urls, { name, zone });
  return { kind: 'quote', title: 'Text for your distributor', text };
}

function factsOf(change: KnownChange, checks: number, { zone }: LetterContext): (readonly [string, string])[] {
  const { type, severity, before, after, detectedAt, confirmedAt, releaseName, facts: known } = change;
  const entity = [before, after].find((value) => value?.kind === 'release' || value?.kind === 'track');
  const release = entity?.kind === 'release' ? entity.value : undefined;
  const track = entity?.kind === 'track' ? entity.value : undefined;
  const facts: ReadonlyArray<readonly [label: string, value: string | number | null | undefined]> = [
    ['Severity', changeTitle(severity)],
    [changeTitle(firstObserved(type)), minuteText(detectedAt, zone)],
    [
      'Confirmed by',
      checks > 1 ? `${checks} checks within ${spanText(confirmedAt.getTime() - detectedAt.getTime())}` : null,
    ],
    ['Release', releaseName],
    ['Label', release ? release.label : type === 'label_changed' ? null : known?.label],
    ['UPC', release ? release.upc : type === 'upc_changed' ? null : known?.upc],
    ['Release date', release?.releaseDate && releaseDateText(release.releaseDate)],
    ['Tracks', release?.trackCount],
    ['ISRC', track?.isrc],
    ...(before?.kind === 'markets' && after?.kind === 'markets'
      ? marketFacts(before.value, after.value)
      : ([
          [valueLabel('Old', type), entity ? null : textOf(before)],
          [valueLabel('New', type), entity ? null : textOf(after)],
        ] as const)),
  ];
  return facts.flatMap(([label, value]) => (value ? [[label, shown(String(value))] as const] : []));
}

/** Null for a picture, because its only text would be its id. */
function textOf(value: ChangeValue | null): string | null {
  if (value === null || value.kind === 'picture') return null;
  return value.kind === 'date' ? releaseDateText(value.value) : changeValueText(value);
}

const MINUTE_MS = 60_000;

function spanText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  return minutes < 120 ? count(minutes, 'minute') : count(Math.round(minutes / 60), 'hour');
}

function coverUrl({ platform, entityType, before, after }: KnownChange): string | undefined {
  if (entityType === 'track') return undefined;
  const [id] = [after, before].flatMap((value) => {
    if (value?.kind === 'picture') return [value.value];
    return value?.kind === 'release' && value.value.artworkId !== undefined ? [value.value.artworkId] : [];
  });
  const path = id === undefined ? undefined : picturePath(platform, entityType, id);
  return path && `${PICTURE_ORIGINS[platform]}${path}`;
}

/** Keeps names from adding links to the email. */
function cleaned(change: KnownChange): KnownChange {
  const { artistName, entityName, releaseName, summary, before, after, facts } = change;
  return {
    ...change,
    artistName: shown(artistName),
    entityName: shown(entityName),
    summary: shown(summary),
    releaseName: releaseName && shown(releaseName),
    before: cleanedValue(before),
    after: cleanedValue(after),
    facts: cleanedValue(facts),
  };
}

function cleanedValue<Value>(value: Value): Value {
  if (typeof value === 'string') return shown(value) as Value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleanedValue) as Value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cleanedValue(part)])) as Value;
}
