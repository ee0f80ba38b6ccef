import type { Observation, Platform, ReleaseState, TrackState } from '@artist-watch/domain/catalogue';
import { normaliseIsrc } from '@artist-watch/domain/platform/platform-id';
import { z } from 'zod';
import { describeIssues } from '../api/errors.js';
import { inOurNames } from '../api/fields.js';
import { boundedText, instantSchema, liesInFuture, optional, storableText } from './field-types.js';

/**
 * Accepts observations from other detectors (docs/reference/ingest.md). Omitted and null fields are treated as unknown
 * and never count as changes.
 */

const MAX_ID_CHARACTERS = 255;
const MAX_TEXT_CHARACTERS = 1_000;
const MAX_RELEASES = 20_000;
const MAX_TRACKS = 5_000;
const MAX_MARKETS = 300;
const MAX_CREDITS = 200;
const GREATEST_COUNT = 2_147_483_647;

const id = () => boundedText(MAX_ID_CHARACTERS);
const text = () => optional(storableText(MAX_TEXT_CHARACTERS));
const flag = () => optional(z.boolean());
const count = () => optional(z.int().min(0).max(GREATEST_COUNT));

function listOf<Type extends z.ZodType>(type: Type, maximum: number) {
  return z.array(type).max(maximum, `must have at most ${maximum} items`);
}

function distinct<Type extends z.ZodType<{ readonly platformId: string }>>(type: Type, maximum: number) {
  return listOf(type, maximum).refine(
    (items) => new Set(items.map(({ platformId }) => platformId)).size === items.length,
    'must not contain a platform_id twice',
  );
}

const creditSchema = z
  .strictObject({ platform_id: optional(id()), name: storableText(MAX_TEXT_CHARACTERS) })
  .transform(inOurNames);

const credits = () => optional(listOf(creditSchema, MAX_CREDITS));

const trackSchema = z
  .strictObject({
    platform_id: id(),
    title: text(),
    isrc: text().transform((isrc) => isrc && (normaliseIsrc(isrc) ?? isrc)),
    /** Counted from 1 across all discs. */
    position: count(),
    explicit: flag(),
    credits: credits(),
  })
  .transform((track): TrackState => inOurNames(track));

const releaseSchema = z
  .strictObject({
    platform_id: id(),
    title: text(),
    type: text(),
    /** `YYYY-MM-DD`, `YYYY-MM` or `YYYY`. */
    release_date: text(),
    /** The content id of a picture, not its URL. */
    artwork_id: text(),
    label: text(),
    upc: text(),
    explicit: flag(),
    credits: credits(),
    markets: optional(listOf(z.string().regex(/^[A-Za-z]{2}$/, 'must be two letters'), MAX_MARKETS)),
    tracks: optional(distinct(trackSchema, MAX_TRACKS)),
  })
  .transform((release): ReleaseState => inOurNames(release));

const artistSchema = z
  .strictObject({ name: text(), image_id: text(), followers: count(), monthly_listeners: count() })
  .transform(inOurNames);

function snapshotSchema(platform: Platform) {
  return z.strictObject({
    platform: z.literal(platform, { error: `must be "${platform}", the platform in use` }),
    artist_platform_id: id(),
    observed_at: instantSchema,
    /** Incomplete snapshots are stored but never compared. */
    complete: z.boolean().prefault(true),
    /** If true, `artist` and `releases` are ignored. */
    artist_gone: z.boolean().prefault(false),
    artist: artistSchema.prefault({}),
    releases: distinct(releaseSchema, MAX_RELEASES).prefault([]),
    /** The detector requested these ids directly and found nothing, as the `absence` rule requires. */
    gone: z
      .strictObject({
        release_ids: listOf(id(), MAX_RELEASES).prefault([]),
        track_ids: listOf(id(), MAX_TRACKS).prefault([]),
      })
      .prefault({}),
  });
}

export interface ReportedSnapshot {
  readonly artist: { readonly platformId: string; readonly name: string };
  readonly observation: Observation;
  readonly goneReleaseIds: ReadonlySet<string>;
  readonly goneTrackIds: ReadonlySet<string>;
}

export type ParsedSnapshot =
  | { readonly kind: 'valid'; readonly snapshot: ReportedSnapshot }
  | { readonly kind: 'invalid'; readonly message: string };

/** Create the parser only once, because zod compiles a schema when it is first used. */
export function snapshotParser(platform: Platform): (body: unknown, now: Date) => ParsedSnapshot {
  const schema = snapshotSchema(platform);
  return (body, now) => {
    const parsed = schema.safeParse(body, { reportInput: true });
    return parsed.success
      ? checked(parsed.data, body, now)
      : { kind: 'invalid', message: `Nothing was recorded: ${describeIssues(parsed.error, 'the body')}.` };
  };
}

type SnapshotBody = z.output<ReturnType<typeof snapshotSchema>>;

function checked(data: SnapshotBody, body: unknown, now: Date): ParsedSnapshot {
  // A snapshot from the future would make all later observations look outdated.
  if (liesInFuture(data.observed_at, now)) {
    return { kind: 'invalid', message: 'Nothing was recorded: observed_at is in the future.' };
  }
  if (data.complete && !data.artist_gone && !hasField(body, 'releases')) {
    return {
      kind: 'invalid',
      message: 'Nothing was recorded: releases is missing, but a complete snapshot must have it.',
    };
  }
  return {
    kind: 'valid',
    snapshot: {
      artist: { platformId: data.artist_platform_id, name: data.artist.name ?? data.artist_platform_id },
      observation: observationOf(data, new Date(Math.min(data.observed_at.getTime(), now.getTime()))),
      goneReleaseIds: new Set(data.gone.release_ids),
      goneTrackIds: new Set(data.gone.track_ids),
    },
  };
}

function hasField(body: unknown, name: string): boolean {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, name);
}

function observationOf(data: SnapshotBody, observedAt: Date): Observation {
  if (!data.complete) {
    return { kind: 'incomplete', observedAt, cause: 'incomplete_list', reason: 'reported as incomplete' };
  }
  if (data.artist_gone) return { kind: 'artist_gone', observedAt };
  return {
    kind: 'complete',
    observedAt,
    state: {
      artist: { platformId: data.artist_platform_id, ...data.artist },
      releases: data.releases,
    },
  };
}

export interface SnapshotAnswer {
  /** `stale`: a complete observation from the same time or later was already recorded, so this one was not compared. */
  readonly outcome: 'baseline' | 'compared' | 'incomplete' | 'stale';
  readonly suspected: number;
  readonly confirmed: number;
  readonly dismissed: number;
}
