/** See docs/reference/detection.md. */

import { PLATFORM_NAMES, type Platform } from '../catalogue.js';
import { gainedMarkets, lostMarkets, marketCount } from '../comparison/market-comparison.js';
import { isBlank } from '../comparison/value-identity.js';
import { catalogueAvailability } from './catalogue-availability.js';
import { CHANGE_TYPES, type DetectedChangeType, type EntityType } from './change-types.js';
import type { ChangeValues } from './change-value.js';
import type { Difference, JsonValue } from './difference.js';

export interface NamedChange {
  readonly platform: Platform;
  readonly type: string;
  readonly entityType: EntityType;
  readonly entityName: string;
  readonly artistName: string;
}

export function summarise(difference: Difference, artistName: string, platform: Platform): string {
  return SENTENCES[difference.type]({
    platform: PLATFORM_NAMES[platform],
    artist: named(artistName),
    entity: quoted(difference.entityName),
    release: difference.releaseName === null ? null : quoted(difference.releaseName),
    difference,
  });
}

/** Changes from other detectors have no values. */
export function summariseReported({ platform, type, entityType, entityName, artistName }: NamedChange): string {
  const artist = named(artistName);
  const entity = quoted(entityName);
  if (Object.hasOwn(CHANGE_TYPES, type)) {
    const known = type as DetectedChangeType;
    if (CHANGE_TYPES[known].entityType === entityType) {
      return SENTENCES[known]({ platform: PLATFORM_NAMES[platform], artist, entity, release: null, difference: null });
    }
  }
  const words = type.replaceAll('_', ' ').trim();
  const what = clipped(words.charAt(0).toUpperCase() + words.slice(1));
  if (entityType === 'artist') return `${what}: artist ${entity}.`;
  return `${what}: ${titled(entityType, entity)} by ${artist}.`;
}

/** For example "“Flowers” by Nina Vale was removed from Deezer". */
export function changeHeadline(change: NamedChange & Partial<ChangeValues>): string {
  const { type, before, after } = change;
  if (type === 'availability_reduced' && before?.kind === 'markets' && after?.kind === 'markets') {
    const lost = before.value.filter((market) => !after.value.includes(market)).length;
    const what = `${quoted(change.entityName)} by ${named(change.artistName)}`;
    return `${what} was removed from ${lost} of ${plural(before.value.length, 'market')} on ${PLATFORM_NAMES[change.platform]}`;
  }
  const sentence = summariseReported(change).replace(/\.$/, '');
  const platform = PLATFORM_NAMES[change.platform];
  const namesPlatform = ['from', 'on', 'to'].some((word) => sentence.endsWith(` ${word} ${platform}`));
  return namesPlatform || sentence.endsWith(` new ${platform} ID`) ? sentence : `${sentence} on ${platform}`;
}

interface SentenceParts {
  readonly platform: string;
  readonly artist: string;
  readonly entity: string;
  readonly release: string | null;
  readonly difference: Difference | null;
}

const SENTENCES: Readonly<Record<DetectedChangeType, (parts: SentenceParts) => string>> = {
  artist_removed: ({ artist, platform }) => `${artist} was removed from ${platform}.`,
  artist_merged: ({ artist, platform, difference }) =>
    `${artist} was merged into ${namesOf(difference?.after) || 'another artist'} on ${platform}.`,
  artist_restored: ({ artist, platform }) => `${artist} is back on ${platform}.`,
  artist_name_changed: ({ artist, difference }) => {
    const name = textOf(difference?.after);
    return name === null
      ? `The name of ${artist} changed.`
      : `The artist ${quoted(textOf(difference?.before) ?? '')} is now called ${quoted(name)}.`;
  },
  artist_image_changed: ({ artist }) => `${artist} has a new picture.`,
  followers_spike: (parts) => followers(parts, 'far more'),
  followers_drop: (parts) => followers(parts, 'far fewer'),

  release_removed: (parts) => `${release(parts)} was removed from ${parts.platform}.`,
  release_added: (parts) => `${release(parts)} was added to ${parts.platform}.`,
  release_restored: (parts) => `${release(parts)} is back on ${parts.platform}.`,
  release_replaced: (parts) => `${release(parts)} was replaced and has a new ${parts.platform} ID.`,
  release_moved: (parts) => {
    const names = namesOf(parts.difference?.after);
    return `${release(parts)} moved to ${names === '' ? 'another artist' : `the page of ${names}`}.`;
  },
  release_title_changed: (parts) => `${release(parts)} ${renamed(parts)}.`,
  release_date_changed: (parts) => `The release date of ${lowered(release(parts))} changed${fromTo(parts, printed)}.`,
  artwork_changed: (parts) => `${release(parts)} has a new cover.`,
  label_changed: (parts) => `The label of ${lowered(release(parts))} changed${fromTo(parts, quoted)}.`,
  upc_changed: (parts) => `The UPC of ${lowered(release(parts))} changed${fromTo(parts, printed)}.`,
  availability_reduced: (parts) =>
    releasesOfArtist(parts, 'are no longer available in', 'market') ??
    `${release(parts)} is no longer available in ${lost(parts)}.`,
  availability_expanded: (parts) =>
    releasesOfArtist(parts, 'are now also available in', 'more market') ??
    `${release(parts)} is now also available in ${gained(parts)}.`,

  track_removed: (parts) => `${track(parts)} was removed from ${parts.platform}.`,
  track_added: (parts) => `${track(parts)} was added to ${parts.platform}.`,
  track_replaced: (parts) => `${track(parts)} was replaced and has a new ${parts.platform} ID.`,
  track_title_changed: (parts) => `${track(parts)} ${renamed(parts)}.`,
  isrc_changed: (parts) => `The ISRC of ${lowered(track(parts))} changed${fromTo(parts, printed)}.`,
  credits_changed: (parts) => {
    const { before, after } = parts.difference ?? {};
    const names = [namesOf(before), namesOf(after)];
    const change = names.includes('') ? '' : ` from ${names[0]} to ${names[1]}`;
    return `The credits of ${lowered(track(parts))} changed${change}.`;
  },
  explicit_flag_changed: (parts) => {
    const explicit = parts.difference?.after;
    if (explicit === true) return `${track(parts)} is now marked as explicit.`;
    if (explicit === false) return `${track(parts)} is no longer marked as explicit.`;
    return `The explicit flag of ${lowered(track(parts))} changed.`;
  },
};

function release({ entity, artist }: SentenceParts): string {
  return entity === NAMELESS ? `An untitled release by ${artist}` : `${entity} by ${artist}`;
}

function track({ entity, artist, release: on }: SentenceParts): string {
  const subject = `The ${titled('track', entity)}`;
  if (on === null) return `${subject} by ${artist}`;
  return `${subject} on ${on === NAMELESS ? 'an untitled release' : on} by ${artist}`;
}

function titled(entityType: 'release' | 'track', entity: string): string {
  return entity === NAMELESS ? `untitled ${entityType}` : `${entityType} ${entity}`;
}

function lowered(subject: string): string {
  return subject.charAt(0).toLowerCase() + subject.slice(1);
}

function renamed({ difference }: SentenceParts): string {
  const title = textOf(difference?.after);
  return title === null ? 'has a new title' : `is now called ${quoted(title)}`;
}

function fromTo({ difference }: SentenceParts, show: (text: string) => string): string {
  const before = textOf(difference?.before);
  const after = textOf(difference?.after);
  return before === null || after === null ? '' : ` from ${show(before)} to ${show(after)}`;
}

function followers({ artist, difference }: SentenceParts, much: string): string {
  const [usual, now] = [difference?.before, difference?.after];
  if (typeof usual !== 'number' || typeof now !== 'number') return `${artist} has ${much} followers than usual.`;
  return `${artist} has ${counted(now)} followers, ${much} than the usual ${counted(usual)}.`;
}

function counted(number: number): string {
  return number.toLocaleString('en-US');
}

function lost({ difference }: SentenceParts): string {
  if (difference === null) return 'some of its markets';
  const markets = lostMarkets(difference);
  return `${markets.length} of ${plural(marketCount(difference.before), 'market')}: ${listed(markets)}`;
}

function gained({ difference }: SentenceParts): string {
  if (difference === null) return 'more markets';
  const markets = gainedMarkets(difference);
  return `${plural(markets.length, 'more market')}: ${listed(markets)}`;
}

function releasesOfArtist({ artist, difference }: SentenceParts, change: string, market: string): string | null {
  const whole = difference && catalogueAvailability(difference);
  if (whole === null) return null;
  const { releases, of, markets } = whole;
  const some = `${releases.length} of ${plural(of, 'release')} by ${artist}`;
  return `${some} ${change} ${plural(markets.length, market)}: ${listed(markets)}.`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const MARKETS_LISTED = 12;

function listed(markets: readonly string[]): string {
  const some = markets.slice(0, MARKETS_LISTED).map(printed).join(', ');
  return clipped(some) + (markets.length > MARKETS_LISTED ? ` and ${markets.length - MARKETS_LISTED} more` : '');
}

function namesOf(credits: JsonValue | undefined): string {
  if (!Array.isArray(credits)) return '';
  const names = credits.map((credit: JsonValue) =>
    typeof credit === 'object' && credit !== null && 'name' in credit ? (textOf(credit.name) ?? '') : '',
  );
  return printed(names.filter((name) => name !== '').join(', '));
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function named(artistName: string): string {
  return printed(artistName) || 'an artist without a name';
}

function quoted(name: string): string {
  const text = printed(name);
  return text === '' ? NAMELESS : `“${text}”`;
}

const NAMELESS = 'without a name';

/** Shortens a name so that four names fit into a sentence. */
function printed(text: string): string {
  return isBlank(text) ? '' : clipped(text.replace(/[\s\p{Cc}]+/gu, ' ').trim());
}

const NAME_LENGTH = 200;

function clipped(text: string): string {
  if (text.length <= NAME_LENGTH) return text;
  const cut = text.slice(0, NAME_LENGTH - 1);
  // The cut may have split a surrogate pair.
  const whole = /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
  return `${whole.trimEnd()}…`;
}
