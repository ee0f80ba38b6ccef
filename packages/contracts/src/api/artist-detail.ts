import type { Platform, ReleaseState } from '@artist-watch/domain/catalogue';
import { type Check, checkSentence } from '@artist-watch/domain/detection/check';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import { platformUrl } from '@artist-watch/domain/platform/platform-id';
import { z } from 'zod';
import { artistSchema, creditSchema, presentCredit } from './artist.js';
import { changeTypeSchema, entityTypeSchema, openEnum, severitySchema } from './enums.js';
import { changeIdSchema, instantSchema, listOf } from './identifiers.js';
import { presenter } from './shown.js';

const count = z.int().nonnegative();

export const artistDetailSchema = artistSchema
  .extend({
    counts: z.object({
      releases: count.nullable().describe('Known releases. Null until the first complete observation.'),
      tracks: count.nullable().describe('Tracks of the releases whose tracks are known.'),
      changes: count.describe("Changes in the account's feed within the plan's history."),
      checks: count.describe('Suspected changes now.'),
    }),
  })
  .meta({ id: 'ArtistDetail', description: 'An artist that the account watches, with counts.' });

export type ArtistDetail = z.infer<typeof artistDetailSchema>;

export const artistDaySchema = z
  .object({
    day: z.string().meta({ format: 'date', example: '2026-05-01', description: 'UTC.' }),
    followers: count.nullable(),
    monthly_listeners: count.nullable().describe('Null if Deezer or Spotify does not show them.'),
    releases: count.nullable(),
    tracks: count.nullable().describe('Tracks of the releases whose tracks are known.'),
    readings: count.describe('Observations of the day, at most as many as your plan makes.'),
    complete_readings: count.describe('Complete observations among `readings`.'),
  })
  .meta({ id: 'ArtistDay', description: 'Numbers of an artist on a UTC day. Null means unknown.' });

export type ArtistDay = z.infer<typeof artistDaySchema>;

export const presentArtistDay = presenter(artistDaySchema);

export const artistDaysSchema = listOf('ArtistDayList', artistDaySchema, 'Oldest first.');

const trackSchema = z.object({
  platform_id: z.string(),
  platform_url: z.string(),
  title: z.string().nullable(),
  isrc: z.string().nullable(),
  position: z.int().positive().nullable().describe('Position in the release, across all discs.'),
  explicit: z.boolean().nullable(),
  credits: z.array(creditSchema).nullable(),
});

export const artistReleaseSchema = z
  .object({
    platform_id: z.string(),
    platform_url: z.string(),
    title: z.string().nullable(),
    type: z.string().nullable().describe('album, single, ep, compilation.'),
    release_date: z.string().nullable().describe('YYYY-MM-DD, or shorter.'),
    label: z.string().nullable(),
    upc: z.string().nullable(),
    explicit: z.boolean().nullable(),
    artwork_id: z.string().nullable().describe('Identifies the content of the cover.'),
    markets: z.array(z.string()).nullable().describe('ISO 3166-1 alpha-2 codes; null if unknown.'),
    credits: z.array(creditSchema).nullable(),
    tracks: z.array(trackSchema).nullable().describe('Null until they are read.'),
  })
  .meta({ id: 'ArtistRelease', description: 'The known state of a release. Null means unknown.' });

export const artistReleasesSchema = listOf(
  'ArtistReleaseList',
  artistReleaseSchema,
  'Newest first. Releases without a date come last.',
);

const presentTrack = presenter(trackSchema);
const present = presenter(artistReleaseSchema);

export function presentRelease(platform: Platform, release: ReleaseState): z.infer<typeof artistReleaseSchema> {
  return present({
    ...release,
    platformUrl: platformUrl(platform, 'release', release.platformId),
    markets: release.markets?.length === 0 ? null : release.markets,
    credits: release.credits?.map(presentCredit),
    tracks: release.tracks?.map((track) =>
      presentTrack({
        ...track,
        platformUrl: platformUrl(platform, 'track', track.platformId),
        credits: track.credits?.map(presentCredit),
      }),
    ),
  });
}

export const artistCheckSchema = z
  .object({
    id: changeIdSchema.describe('Id of the change if it is confirmed.'),
    type: changeTypeSchema,
    severity: severitySchema,
    state: openEnum(
      ['suspected', 'held'],
      '`held`: much is missing at once, so more observations are needed than usual.',
    ),
    entity_type: entityTypeSchema,
    entity_id: z.string(),
    entity_name: z.string(),
    platform_url: z.string(),
    release_id: z.string().nullable().describe('The release of a track.'),
    summary: z.string().describe('The progress, in a sentence for people.'),
    detected_at: instantSchema.describe('The first observation that counts.'),
    last_observed_at: instantSchema,
    observations: z.object({ counted: count, needed: count }),
    certain_at: instantSchema.describe('The earliest time of confirmation.'),
  })
  .meta({ id: 'ArtistCheck', description: 'A suspected change, neither confirmed nor dismissed yet.' });

export type ArtistCheck = z.infer<typeof artistCheckSchema>;

export const artistChecksSchema = listOf('ArtistCheckList', artistCheckSchema, 'Oldest first.');

export function presentCheck(
  { id, platform, suspicion }: { readonly id: string; readonly platform: Platform; readonly suspicion: Suspicion },
  check: Check,
): ArtistCheck {
  const { type, severity, entityType, entityId, entityName, releaseId } = suspicion.difference;
  return {
    id,
    type,
    severity,
    state: suspicion.held ? 'held' : 'suspected',
    entity_type: entityType,
    entity_id: entityId,
    entity_name: entityName,
    platform_url: platformUrl(platform, entityType, entityId),
    release_id: releaseId,
    summary: checkSentence(suspicion, check, inUtc),
    detected_at: check.since.toISOString(),
    last_observed_at: check.lastObservedAt.toISOString(),
    observations: { counted: check.counted, needed: check.needed },
    certain_at: check.certainAt.toISOString(),
  };
}

/** `2026-05-01 13:34 UTC` */
function inUtc(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
