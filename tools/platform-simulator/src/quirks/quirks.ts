import { z } from 'zod';

/**
 * Faults of real platforms. Each quirk has a probability; the default is 0.
 *
 * `noDataError`, `quotaError` and `busyError` have the status 200 on Deezer, as on the real API, and 404, 429 and 503
 * on Spotify.
 */

const probability = z.number().min(0).max(1);

const strike = {
  probability,
  /** Affects only requests whose path and query match this regular expression. */
  paths: z.string().refine(isRegularExpression, 'is not a regular expression').optional(),
  /** Applies at most this many times. */
  times: z.number().int().positive().optional(),
};

/** Accepts a number as the probability. */
function quirk<Parameters extends z.ZodRawShape>(parameters: Parameters) {
  const full = z.strictObject({ ...strike, ...parameters });
  return z.preprocess((value) => (typeof value === 'number' ? { probability: value } : value), full).optional();
}

const seconds = z.number().int().min(0).max(86_400);
const milliseconds = z.number().int().min(0).max(600_000);

export const quirksSchema = z.strictObject({
  /** "No data" about something that exists. */
  noDataError: quirk({}),
  /** The quota error, although the quota is not used up. */
  quotaError: quirk({}),
  busyError: quirk({}),
  /** A gateway's page instead of the platform's JSON. */
  serverError: quirk({ status: z.literal([404, 500, 502, 503, 504]).default(503) }),
  tooManyRequests: quirk({ retryAfterSeconds: seconds.default(120) }),
  /** The connection closes before the response. */
  cutConnection: quirk({}),
  /** The connection closes within the body. */
  cutBody: quirk({}),
  /** The body is cut in half, with a matching Content-Length. */
  truncatedBody: quirk({}),
  /** Content-Encoding is gzip, but the body is not compressed. */
  brokenGzip: quirk({}),
  /** Redirects to another URL, as a sign-in page does. */
  redirect: quirk({}),
  /** HTTP 200 with an HTML page instead of JSON, as from a captive proxy. */
  notJson: quirk({}),
  /** Pages of a list after the first return an error. */
  laterPageFails: quirk({}),
  /** The total of a list differs from the number of its items. */
  wrongTotal: quirk({ by: z.number().int().default(3) }),
  /** The total and the pages of a list include places for hidden items; the same for every request of a list. */
  hiddenItems: quirk({ count: z.number().int().positive().default(3) }),
  /** A page omits one item, but not from the total. */
  missingItem: quirk({}),
  /** A page repeats one item in place of another, with the same total. */
  duplicateItem: quirk({}),
  /** A list repeats one item and counts both; the same for every request of a list. */
  repeatedItem: quirk({}),
  /** A page has null instead of one item. */
  nullItem: quirk({}),
  /**
   * Spotify: a list with several groups skips as many releases of the second group as the first has on its last page;
   * the same for every request of an artist.
   */
  groupGap: quirk({}),
  /** The list of an artist's releases is empty, with total 0. */
  emptyList: quirk({}),
  /** Deezer: the hash of a picture is the hash of an empty file. */
  noPicture: quirk({}),
  /** Titles and names consist of invisible characters. */
  invisibleNames: quirk({}),
  /** Releases with a future date cannot be played anywhere. */
  unplayableUntilOut: quirk({}),
  /** A later page repeats the first one, as from a cache that ignores the offset. */
  repeatedPage: quirk({}),
  /** About a third of the fields are missing or null, including ids and totals. */
  vanishingFields: quirk({
    /** Fields that are never affected. */
    keep: z.array(z.string()).default([]),
  }),
  /** The response has another entity, with that entity's id. */
  relink: quirk({}),
  zeroFollowers: quirk({}),
  /** Releases and tracks have no name, no date and no picture, as after some takedowns. */
  hollowAnswer: quirk({}),
  /**
   * Removed items are still served; the same for every request of an item. Spotify: releases and tracks without
   * markets. Deezer: unreadable tracks without countries, also in the track list, and releases with such tracks.
   */
  removedStillAnswers: quirk({}),
  /** Spotify: for removed items that are still served, each market gets the recordings of another release. */
  recordingsElsewhere: quirk({}),
  /** Spotify: items have no markets, although they are sold everywhere. */
  emptyMarkets: quirk({}),
  /** Spotify: a cache returns outdated markets. */
  staleMarkets: quirk({ without: z.array(z.string().regex(/^[A-Z]{2}$/)).default(['CA', 'US']) }),
  /** Spotify: other tracks replace the tracks of a release, different ones each time. */
  relinkedTracks: quirk({}),
  /** Deezer: tracks are unreadable for this client, but have countries. */
  unreadableTracks: quirk({}),
  /** Deezer: durations are strings. */
  textDurations: quirk({}),
  /** ISRCs have hyphens. */
  hyphenatedIsrc: quirk({}),
  slow: quirk({ delayMs: milliseconds.default(3_000) }),
  /** The client counts as abroad for a while, so items not sold there are hidden. */
  foreignCountry: quirk({
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .default('US'),
    holdMs: milliseconds.default(60_000),
  }),
  /** Spotify: the list of a missing artist is empty instead of an error. On Deezer it is always empty. */
  emptyListOfUnknownArtist: quirk({}),
  /** Spotify: an access token is rejected before it expires. */
  expiredToken: quirk({}),
  /** Spotify: development mode, without some fields, large pages and batch requests. Above 0 it is always on. */
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
