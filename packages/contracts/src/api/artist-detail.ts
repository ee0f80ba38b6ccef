import type { Platform, ReleaseState } from '@artist-watch/domain/catalogue';
import { utcMinute } from '@artist-watch/domain/channel/change-message';
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
      releases: count.nullable().describe('Number of known releases. Null before the first complete observation.'),
      tracks: count.nullable().describe('Number of tracks on all releases whose tracks are known.'),
      changes: count.describe("Number of changes in the account's feed within the history period of its plan."),
      checks: count.describe('Number of suspected changes.'),
    }),
  })
  .meta({
    id: 'ArtistDetail',
    description: 'A watched artist, with counts of its releases, tracks and changes.',
  });

export type ArtistDetail = z.infer<typeof artistDetailSchema>;

export const artistDaySchema = z
  .object({
    day: z.string().meta({ format: 'date', example: '2026-05-01', description: 'UTC.' }),
    followers: count.nullable(),
    monthly_listeners: count.nullable().describe('Null if Deezer or Spotify does not show the number.'),
    releases: count.nullable(),
    tracks: count.nullable().describe('Number of tracks on all releases whose tracks are known.'),
    readings: count.describe('Number of observations on this day, capped at the number that your plan includes.'),
    complete_readings: count.describe('Number of these observations that were complete.'),
  })
  .meta({ id: 'ArtistDay', description: "An artist's numbers on one UTC day. Null means unknown." });

export type ArtistDay = z.infer<typeof artistDaySchema>;

export const presentArtistDay = presenter(artistDaySchema);

export const artistDaysSchema = listOf('ArtistDayList', artistDaySchema, 'Oldest first.');

const trackSchema = z.object({
  platform_id: z.string(),
  platform_url: z.string(),
  title: z.string().nullable(),
  isrc: z.string().nullable(),
  position: z.int().positive().nullable().describe('Position in the release, counted from 1 across all discs.'),
  explicit: z.boolean().nullable(),
  credits: z.array(creditSchema).nullable(),
});

export const artistReleaseSchema = z
  .object({
    platform_id: z.string(),
    platform_url: z.string(),
    title: z.string().nullable(),
    type: z.string().nullable().describe('Such as album, single, ep or compilation.'),
    release_date: z.string().nullable().describe('YYYY-MM-DD, YYYY-MM or YYYY.'),
    label: z.string().nullable(),
    upc: z.string().nullable(),
    explicit: z.boolean().nullable(),
    artwork_id: z.string().nullable().describe('Identifies the cover. A new cover has a new id.'),
    markets: z
      .array(z.string())
      .nullable()
      .describe('Countries where the release is available, as ISO 3166-1 alpha-2 codes. Null if unknown.'),
    credits: z.array(creditSchema).nullable(),
    tracks: z.array(trackSchema).nullable().describe('Null until the tracks have been read.'),
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
    id: changeIdSchema.describe('The id that the change will have if it is confirmed.'),
    type: changeTypeSchema,
    severity: severitySchema,
    state: openEnum(
      ['suspected', 'held'],
      '`held`: too many entities are missing at the same time, so the change needs more observations than usual.',
    ),
    entity_type: entityTypeSchema,
    entity_id: z.string(),
    entity_name: z.string(),
    platform_url: z.string(),
    release_id: z.string().nullable().describe('For a track, its release. Otherwise null.'),
    summary: z.string().describe('The progress, as a human-readable sentence.'),
    detected_at: instantSchema.describe('Time of the first observation that counts toward the change.'),
    last_observed_at: instantSchema,
    observations: z.object({ counted: count, needed: count }),
    certain_at: instantSchema.describe('The earliest time at which the change can be confirmed.'),
  })
  .meta({ id: 'ArtistCheck', description: 'A suspected change that has not been confirmed or dismissed yet.' });

export type ArtistCheck = z.infer<typeof artistCheckSchema>;

export const artistChecksSchema = listOf('ArtistCheckList', artistCheckSchema, 'Oldest first.');

const presentCheckFields = presenter(artistCheckSchema);

export function presentCheck(
  { id, platform, suspicion }: { readonly id: string; readonly platform: Platform; readonly suspicion: Suspicion },
  check: Check,
): ArtistCheck {
  const { entityType, entityId } = suspicion.difference;
  const { since: detectedAt, counted, needed } = check;
  return presentCheckFields({
    ...suspicion.difference,
    ...{ ...check, id, detectedAt, observations: { counted, needed } },
    state: suspicion.held ? 'held' : 'suspected',
    platformUrl: platformUrl(platform, entityType, entityId),
    summary: checkSentence(suspicion, check, utcMinute),
  });
}
