import { PLATFORM_NAMES } from '@artist-watch/domain/catalogue';
import { ENTITY_TYPES, firstObserved, SEVERITIES } from '@artist-watch/domain/change/change-types';
import { type ChangeValue, type ChangeValues, changeValueText } from '@artist-watch/domain/change/change-value';
import { distributorText, isRemovalType, valueLabel } from '@artist-watch/domain/change/distributor-text';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { PICTURE_ORIGINS, picturePath } from '@artist-watch/domain/platform/picture-file';
import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-id';
import { confirmedChange } from '@artist-watch/persistence/change/confirmed-changes';
import { z } from 'zod';
import { count, type LetterContext, type LetterPart, localDay, localMinute, shown } from '../letter.js';

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

export function changeDetails({ checks, ...row }: FullChange, account: string, context: LetterContext): LetterPart[] {
  const change = confirmedChange(row);
  const { platform, entityType, entityId, entityName, artistName, summary, type } = change;
  const subject = entityType === 'artist' ? shown(artistName) : `${shown(entityName)} by ${shown(artistName)}`;
  const cover = coverUrl(change);
  const url = knownPlatformUrl(platform, entityType, entityId);
  const observations = Array.from({ length: checks }, () => ({ kind: 'counted' }));
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
    isRemovalType(type) && {
      kind: 'quote',
      title: 'Text for your distributor',
      text: distributorText(
        [{ ...cleaned(change), observations }],
        PLATFORM_NAMES[platform],
        [url],
        context.accountName,
      ),
    },
  ];
  return parts.filter((part) => part !== false);
}

function factsOf(change: KnownChange, checks: number, { zone }: LetterContext): (readonly [string, string])[] {
  const { type, before, after, detectedAt, confirmedAt, releaseName } = change;
  const entity = [before, after].find((value) => value?.kind === 'release' || value?.kind === 'track');
  const release = entity?.kind === 'release' ? entity.value : undefined;
  const track = entity?.kind === 'track' ? entity.value : undefined;
  const first = firstObserved(type);
  const facts: ReadonlyArray<readonly [label: string, value: string | number | null | undefined]> = [
    [changeTitle(first), `${localMinute(detectedAt, zone)} (${zone})`],
    [
      'Confirmed',
      checks > 1
        ? `by ${checks} checks within ${spanText(confirmedAt.getTime() - detectedAt.getTime())}${first === 'first missing' ? ', in 2 different ways' : ''}`
        : null,
    ],
    ['Release', releaseName],
    ['Label', release?.label],
    ['UPC', release?.upc],
    ['Release date', release?.releaseDate && releaseDay(release.releaseDate)],
    ['Tracks', release?.trackCount],
    ['ISRC', track?.isrc],
    [valueLabel('Old', type), entity ? null : textOf(before)],
    [valueLabel('New', type), entity ? null : textOf(after)],
  ];
  return facts.flatMap(([label, value]) => (value ? [[label, shown(String(value))] as const] : []));
}

/** Returns the argument itself if it isn't a complete date. */
function releaseDay(date: string): string {
  const day = new Date(date);
  return date.length < 10 || Number.isNaN(day.getTime()) ? date : localDay(day, 'UTC');
}

/** Null for a picture, because its only text would be its id. */
function textOf(value: ChangeValue | null): string | null {
  return value === null || value.kind === 'picture' ? null : changeValueText(value);
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
  const { artistName, entityName, releaseName, summary, before, after } = change;
  return {
    ...change,
    ...{ artistName: shown(artistName), entityName: shown(entityName), summary: shown(summary) },
    releaseName: releaseName && shown(releaseName),
    ...{ before: cleanedValue(before), after: cleanedValue(after) },
  };
}

function cleanedValue<Value>(value: Value): Value {
  if (typeof value === 'string') return shown(value) as Value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleanedValue) as Value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cleanedValue(part)])) as Value;
}
