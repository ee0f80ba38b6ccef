import type { IncompleteCause, Platform, ReleaseState } from '@artist-watch/domain/catalogue';
import { utcMinute } from '@artist-watch/domain/channel/change-message';
import { type Check, checkSentence } from '@artist-watch/domain/detection/check';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import { platformUrl } from '@artist-watch/domain/platform/platform-id';
import { z } from 'zod';
import { storableText } from '../ingest/field-types.js';
import { isPrintable, NOT_PRINTABLE, PRINTABLE } from './change-filter.js';
import {
  artistIdSchema,
  changeIdSchema,
  changeTypeSchema,
  entityTypeSchema,
  groupIdSchema,
  instantSchema,
  listOf,
  oneOf,
  openEnum,
  presenter,
  type Shown,
  severitySchema,
} from './fields.js';

export const MAX_GROUPS = 50;
export const MAX_GROUP_NAME_CHARS = 50;
/** The largest plan includes this many artists. */
const MAX_GROUPED_ARTISTS = 500;

export const GROUP_COLORS = ['blue', 'teal', 'green', 'amber', 'red', 'pink', 'purple', 'gray'] as const;
export type GroupColor = (typeof GROUP_COLORS)[number];

export const groupSchema = z
  .object({
    id: groupIdSchema,
    name: z.string(),
    color: openEnum(GROUP_COLORS),
    artists: z.int().nonnegative().describe('Number of artists in the group.'),
    created_at: instantSchema,
  })
  .meta({ id: 'Group', description: 'A group of watched artists. An artist can be in several groups.' });

export const groupListSchema = listOf('GroupList', groupSchema, 'All groups, sorted by name.');

export type ShownGroup = Shown<z.infer<typeof groupSchema>>;

export const presentGroup = presenter(groupSchema);

const GROUP_NAME = '^[^ \\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$';

const nameSchema = storableText(MAX_GROUP_NAME_CHARS)
  .refine(
    (name) => new RegExp(GROUP_NAME).test(name),
    'must not be empty, start with a space or contain control characters',
  )
  .meta({
    description: `A name of 1 to ${MAX_GROUP_NAME_CHARS} characters. Names are unique, ignoring case.`,
    pattern: GROUP_NAME,
    maxLength: MAX_GROUP_NAME_CHARS,
    minLength: 1,
  });

export const createGroupSchema = z
  .strictObject({ name: nameSchema, color: oneOf(GROUP_COLORS).optional().describe('Default: gray.') })
  .meta({ id: 'CreateGroup' });

const artistsSchema = z
  .array(artistIdSchema)
  .max(MAX_GROUPED_ARTISTS, `must have at most ${MAX_GROUPED_ARTISTS} entries`);

export const updateGroupSchema = z
  .strictObject({
    name: nameSchema.optional(),
    color: oneOf(GROUP_COLORS).optional(),
    add_artist_ids: artistsSchema
      .optional()
      .describe('Adds these artists. Artists that the account does not watch are ignored.'),
    remove_artist_ids: artistsSchema.optional().describe('Removes these artists from the group.'),
  })
  .meta({ id: 'UpdateGroup', description: 'Omitted fields stay unchanged.' });

const MAX_QUERY_CHARS = 200;

export const ARTIST_STATUSES = ['pending', 'active', 'not_found', 'stale', 'merged'] as const;
export type ArtistStatus = (typeof ARTIST_STATUSES)[number];

/** `not_checked` means that observations are late, but none failed. */
type StaleReason = IncompleteCause | 'not_checked';

/** @param platform the platform's name, such as Deezer */
export const STALE_REASONS: Readonly<Record<StaleReason, (platform: string) => string>> = {
  rate_limited: (platform) => `${platform} is limiting our requests.`,
  platform_error: (platform) => `${platform} did not respond, or responded with an error.`,
  unclear_response: (platform) => `The responses from ${platform} contradict each other or have an unknown format.`,
  incomplete_list: (platform) => `${platform} does not return the complete list of releases.`,
  not_checked: () => "We're behind on our checks.",
};

const availabilitySchema = openEnum(['available', 'unavailable']);

/** All times come from this account's own watch of the artist (docs/api/requests.md, docs/adr/0027). */
export const artistSchema = z
  .object({
    id: artistIdSchema.describe('Changes have this id as `artist_id`.'),
    platform_id: z.string().describe("The artist's identifier on the streaming platform."),
    name: z.string().describe("The artist's name. Until the first observation, it is the `platform_id`."),
    monthly_listeners: z.int().nonnegative().describe('The last known number, or 0 if none is known yet.'),
    followers: z.int().nonnegative().describe('The last known number, or 0 if none is known yet.'),
    metrics_observed_at: instantSchema
      .nullable()
      .describe(
        'The follower and listener counts were read at this time or later. ' +
          'Null until an observation after `watched_since` includes them.',
      ),
    status: openEnum(
      ARTIST_STATUSES,
      '`pending`: there has been no complete observation since `watched_since`. ' +
        '`active`: the artist is observed on schedule. ' +
        '`not_found`: the artist does not exist. After an hour, it no longer counts toward your plan. ' +
        "`stale`: there has been no complete observation for three of your plan's intervals. " +
        '`merged`: Deezer or Spotify returns another artist. To watch that one, use `POST /artists/{id}/follow-merge`.',
    ),
    merged_into: z
      .string()
      .nullable()
      .describe("The other artist's identifier on the streaming platform. Null unless `status` is `merged`."),
    stale_reason: z
      .object({
        code: z
          .string()
          .describe(
            `Known codes: ${Object.keys(STALE_REASONS).join(', ')}. New codes may be added, so accept unknown ones.`,
          ),
        message: z.string().describe('A human-readable sentence.'),
      })
      .nullable()
      .describe('Why the last observation was not complete. Null unless `status` is `stale`.'),
    last_complete_at: instantSchema
      .nullable()
      .describe(
        'Time of the last complete observation, updated at most once per plan interval. ' +
          'Null until the first complete observation after `watched_since`.',
      ),
    next_read_at: instantSchema.describe(
      'The next observation is due by this time. If the time is in the past, the observation is late. ' +
        'A new artist is observed within seconds.',
    ),
    watched_since: instantSchema.describe('Time when the account started to watch the artist.'),
    platform_url: z.string().describe("The artist's page on Deezer or Spotify."),
    metrics: z
      .object({ followers: availabilitySchema, monthly_listeners: availabilitySchema })
      .describe(
        '`unavailable`: no observation has included this number yet, so ignore the 0. ' +
          'Deezer and Spotify do not show monthly listeners.',
      ),
    group_ids: z.array(groupIdSchema).describe("The artist's groups."),
  })
  .meta({ id: 'Artist', description: 'An artist that the account watches.' });

export const artistListSchema = listOf('ArtistList', artistSchema, 'Longest-watched first.');

export type ArtistItem = z.infer<typeof artistSchema>;

export type ShownArtist = Shown<ArtistItem>;

export const presentArtist = presenter(artistSchema);

export const creditSchema = z
  .object({ platform_id: z.string().nullable(), name: z.string() })
  .meta({ id: 'ChangeCredit', description: 'A credited artist.' });

export const presentCredit = presenter(creditSchema);

export const artistFilterSchema = z.object({
  status: oneOf(ARTIST_STATUSES).optional().meta({ description: 'Only artists with this status.' }),
  group_id: groupIdSchema.optional().meta({ description: 'Only artists in this group.' }),
  q: z
    .string()
    .refine((text) => [...text].length <= MAX_QUERY_CHARS, `must have at most ${MAX_QUERY_CHARS} characters`)
    .refine(isPrintable, NOT_PRINTABLE)
    .optional()
    .meta({
      description: "Words from the artist's name, in any order and ignoring case, or a complete `id` or `platform_id`.",
      maxLength: MAX_QUERY_CHARS,
      pattern: PRINTABLE,
    }),
});

/** A request has either `platform_id` or `url`. */
export const watchArtistSchema = z
  .strictObject({
    platform_id: z.string().optional().describe("The artist's Deezer or Spotify id."),
    url: z.string().optional().meta({ description: 'A Deezer or Spotify link to the artist.', maxLength: 2_048 }),
  })
  .refine(({ platform_id, url }) => (platform_id === undefined) !== (url === undefined), {
    error: 'must have either "platform_id" or "url"',
  })
  .meta({ id: 'WatchArtist', minProperties: 1, maxProperties: 1 });

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

const artistDaySchema = z
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

const artistReleaseSchema = z
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

const artistCheckSchema = z
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

type ArtistCheck = z.infer<typeof artistCheckSchema>;

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
    ...check,
    id,
    detectedAt,
    observations: { counted, needed },
    state: suspicion.held ? 'held' : 'suspected',
    platformUrl: platformUrl(platform, entityType, entityId),
    summary: checkSentence(suspicion, check, utcMinute),
  });
}
