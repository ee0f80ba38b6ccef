import { z } from 'zod';

/**
 * What real platforms do besides answering. Each quirk strikes with a probability; 0, the default, is never.
 *
 * Deezer puts its errors inside HTTP 200, so `noDataError`, `quotaError` and `busyError` do so there; Spotify words the
 * same troubles as 404, 429 and 503.
 */

const probability = z.number().min(0).max(1);

const strike = {
  probability,
  /** Only requests whose path and query match this regular expression. */
  paths: z.string().refine(isRegularExpression, 'is not a regular expression').optional(),
  /** Strikes at most this many times. */
  times: z.number().int().positive().optional(),
};

/** A bare number is the probability. */
function quirk<Parameters extends z.ZodRawShape>(parameters: Parameters) {
  const full = z.strictObject({ ...strike, ...parameters });
  return z.preprocess((value) => (typeof value === 'number' ? { probability: value } : value), full).optional();
}

const seconds = z.number().int().min(0).max(86_400);
const milliseconds = z.number().int().min(0).max(600_000);

export const quirksSchema = z.strictObject({
  /** "No data" about something that exists. */
  noDataError: quirk({}),
  /** The quota error, although the quota is not spent. */
  quotaError: quirk({}),
  busyError: quirk({}),
  /** A gateway's page instead of the platform's JSON. */
  serverError: quirk({ status: z.literal([404, 500, 502, 503, 504]).default(503) }),
  tooManyRequests: quirk({ retryAfterSeconds: seconds.default(120) }),
  /** The connection is cut before the answer begins. */
  cutConnection: quirk({}),
  /** The connection is cut in the middle of the body. */
  cutBody: quirk({}),
  /** The body ends in the middle, although its length is as announced. */
  truncatedBody: quirk({}),
  /** The body is said to be compressed, and is not. */
  brokenGzip: quirk({}),
  /** The caller is sent to another address, as for signing in. */
  redirect: quirk({}),
  /** HTTP 200 with a page in place of JSON, as from a captive proxy. */
  notJson: quirk({}),
  /** A page of a list that is not its first one answers with an error. */
  laterPageFails: quirk({}),
  /** A list's total is not the number of its items. */
  wrongTotal: quirk({ by: z.number().int().default(3) }),
  /** A list counts items, and leaves room for them on its pages, that it never shows. It does so for good, or never. */
  hiddenItems: quirk({ count: z.number().int().positive().default(3) }),
  /** A page of a list leaves one item out and its total as it was. */
  missingItem: quirk({}),
  /** A page of a list has one of its items twice and another not at all, its total stays. */
  duplicateItem: quirk({}),
  /** A list has one of its items twice, and its total counts both. It does so for good, or never. */
  repeatedItem: quirk({}),
  /** A page of a list has null in place of one of its items. */
  nullItem: quirk({}),
  /**
   * Spotify: read as one list, the groups of an artist's releases lack as many of the second as the first has on its last
   * page. They do so for good, or never.
   */
  groupGap: quirk({}),
  /** The list of an artist's releases is empty, and says so. */
  emptyList: quirk({}),
  /** Deezer: a picture is that of nothing, by the hash of no bytes. */
  noPicture: quirk({}),
  /** Titles and names are characters that nobody sees. */
  invisibleNames: quirk({}),
  /** What is released on a later day cannot be played anywhere. */
  unplayableUntilOut: quirk({}),
  /** A later page of a list is the first one again, as a cache that forgets the offset answers it. */
  repeatedPage: quirk({}),
  /** About a third of the fields are left out or null, ids and totals among them. */
  vanishingFields: quirk({
    /** Fields that never vanish. */
    keep: z.array(z.string()).default([]),
  }),
  /** An id is answered with another entity under its own id. */
  relink: quirk({}),
  zeroFollowers: quirk({}),
  /** Releases and tracks are what a takedown may leave of them: no name, no date, no picture. */
  hollowAnswer: quirk({}),
  /**
   * What was taken down is answered for all the same, for good or never. Spotify: a release with everything but a market;
   * Deezer: a track that is unreadable and has no country, in the list of its release too, and a release of such tracks.
   */
  removedStillAnswers: quirk({}),
  /** Spotify: of what was taken down and is answered for, each market is given the recordings of another release. */
  recordingsElsewhere: quirk({}),
  /** Spotify: no market is named of what is sold everywhere. */
  emptyMarkets: quirk({}),
  /** Spotify: a cache names markets as they were, or will be. */
  staleMarkets: quirk({ without: z.array(z.string().regex(/^[A-Z]{2}$/)).default(['CA', 'US']) }),
  /** Spotify: other tracks stand in place of those that come with a release, each time others. */
  relinkedTracks: quirk({}),
  /** Deezer: tracks are unreadable to this caller, and have countries. */
  unreadableTracks: quirk({}),
  /** Deezer: durations are written as text. */
  textDurations: quirk({}),
  /** ISRCs are written with hyphens. */
  hyphenatedIsrc: quirk({}),
  slow: quirk({ delayMs: milliseconds.default(3_000) }),
  /** The caller's address is taken for one abroad, for a while: what is not sold there is hidden. */
  foreignCountry: quirk({
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .default('US'),
    holdMs: milliseconds.default(60_000),
  }),
  /** Spotify: the list of an artist that does not exist is empty instead of an error; Deezer's always is. */
  emptyListOfUnknownArtist: quirk({}),
  /** Spotify: an access token is taken for expired before its time. */
  expiredToken: quirk({}),
  /** Spotify: the fields, large pages and batch reads that apps in development mode do not get. Above 0 is always. */
  developmentMode: quirk({}),
});

export type Quirks = z.output<typeof quirksSchema>;
export type QuirksInput = z.input<typeof quirksSchema>;
export type QuirkName = keyof Quirks;

export const QUIRK_NAMES = Object.keys(quirksSchema.shape) as [QuirkName, ...QuirkName[]];

function isRegularExpression(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
