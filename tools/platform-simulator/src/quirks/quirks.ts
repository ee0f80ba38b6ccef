import { z } from 'zod';

/**
 * Faults that real platforms have. Each quirk has a probability, which is 0 by default.
 *
 * On Deezer, `noDataError`, `quotaError` and `busyError` have the status 200, like the real API. On Spotify they have
 * 404, 429 and 503.
 */

const probability = z.number().min(0).max(1);

const strike = {
  probability,
  /** The quirk affects only requests whose path and query match this regular expression. */
  paths: z.string().refine(isRegularExpression, 'is not a regular expression').optional(),
  /** The quirk applies at most this many times. */
  times: z.number().int().positive().optional(),
};

/** Defines a quirk's settings. A plain number is accepted as the probability. */
function quirk<Parameters extends z.ZodRawShape>(parameters: Parameters) {
  const full = z.strictObject({ ...strike, ...parameters });
  return z.preprocess((value) => (typeof value === 'number' ? { probability: value } : value), full).optional();
}

const seconds = z.number().int().min(0).max(86_400);
const milliseconds = z.number().int().min(0).max(600_000);

export const quirksSchema = z.strictObject({
  /** The platform returns "no data" for something that exists. */
  noDataError: quirk({}),
  /** The platform returns the quota error before the quota is used up. */
  quotaError: quirk({}),
  busyError: quirk({}),
  /** A gateway returns its own page instead of the platform's JSON. */
  serverError: quirk({ status: z.literal([404, 500, 502, 503, 504]).default(503) }),
  tooManyRequests: quirk({ retryAfterSeconds: seconds.default(120) }),
  /** The connection closes before the response starts. */
  cutConnection: quirk({}),
  /** The connection closes in the middle of the body. */
  cutBody: quirk({}),
  /** The body is cut in half, and Content-Length matches the shorter body. */
  truncatedBody: quirk({}),
  /** Content-Encoding is gzip, but the body is not compressed. */
  brokenGzip: quirk({}),
  /** The response redirects to a different URL, as a network's sign-in page does. */
  redirect: quirk({}),
  /** The response is a 200 with an HTML page instead of JSON, as from a captive portal. */
  notJson: quirk({}),
  /** All pages of a list except the first return an error. */
  laterPageFails: quirk({}),
  /** The total of a list differs from the number of its items. */
  wrongTotal: quirk({ by: z.number().int().default(3) }),
  /**
   * The total and the pages of a list include places for hidden items. All requests for the list see the same places.
   */
  hiddenItems: quirk({ count: z.number().int().positive().default(3) }),
  /** A page omits one item. The total still counts it. */
  missingItem: quirk({}),
  /** A page repeats one item in place of another item, so the total still matches. */
  duplicateItem: quirk({}),
  /** A list contains one item twice, and the total counts both. All requests for the list see the same repetition. */
  repeatedItem: quirk({}),
  /** A page has null instead of one item. */
  nullItem: quirk({}),
  /**
   * Spotify only. A list with several groups skips some releases of the second group: as many as the first group has on
   * its last page. All requests for an artist see the same list.
   */
  groupGap: quirk({}),
  /** The artist's release list is empty, with a total of 0. */
  emptyList: quirk({}),
  /** Deezer only. A picture has the hash of an empty file. */
  noPicture: quirk({}),
  /** Titles and names consist of invisible characters. */
  invisibleNames: quirk({}),
  /** Releases with a future date are not playable in any country. */
  unplayableUntilOut: quirk({}),
  /** A later page repeats the first page, as from a cache that ignores the offset. */
  repeatedPage: quirk({}),
  /** About a third of all fields are missing or null, including ids and totals. */
  vanishingFields: quirk({
    /** Fields that this quirk never affects. */
    keep: z.array(z.string()).default([]),
  }),
  /** The response contains a different entity, with that entity's id. */
  relink: quirk({}),
  zeroFollowers: quirk({}),
  /** Releases and tracks have no name, no date and no picture, as after some takedowns. */
  hollowAnswer: quirk({}),
  /**
   * Removed items are still served. All requests for an item get the same result. On Spotify, such releases and tracks
   * have no markets. On Deezer, such tracks are unreadable and have no countries, also in the track lists of removed
   * releases.
   */
  removedStillAnswers: quirk({}),
  /** Spotify only. If a removed item is still served, each market gets its recordings on another release. */
  recordingsElsewhere: quirk({}),
  /** Spotify only. Items have no markets, although they are sold everywhere. */
  emptyMarkets: quirk({}),
  /** Spotify only. A cache returns outdated markets. */
  staleMarkets: quirk({ without: z.array(z.string().regex(/^[A-Z]{2}$/)).default(['CA', 'US']) }),
  /** Spotify only. Other tracks replace the tracks of a release, and they differ each time. */
  relinkedTracks: quirk({}),
  /** Deezer only. Tracks are unreadable for this client, but have countries. */
  unreadableTracks: quirk({}),
  /** Deezer only. Durations are strings. */
  textDurations: quirk({}),
  /** ISRCs have hyphens. */
  hyphenatedIsrc: quirk({}),
  slow: quirk({ delayMs: milliseconds.default(3_000) }),
  /** For a while, the client counts as being abroad, so items that are not sold there are hidden. */
  foreignCountry: quirk({
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .default('US'),
    holdMs: milliseconds.default(60_000),
  }),
  /** Spotify only. The list of a missing artist is empty instead of an error. On Deezer it is always empty. */
  emptyListOfUnknownArtist: quirk({}),
  /** Spotify only. The API rejects an access token before it expires. */
  expiredToken: quirk({}),
  /**
   * Spotify only. In development mode, some fields, large pages and batch requests are not available. With any
   * probability above 0, the mode is always on.
   */
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
