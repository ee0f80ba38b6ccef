import { z } from 'zod';

/**
 * Simulated faults that occur on the real platforms. All are off by default.
 * For Deezer, `noDataError`, `quotaError` and `busyError` return status 200, as the real API does. For Spotify, they
 * return 404, 429 and 503.
 */

const probability = z.number().min(0).max(1);

const strike = {
  probability,
  /** If set, only requests with a matching path and query are affected. */
  paths: z.string().refine(isRegularExpression, 'is not a regular expression').optional(),
  times: z.number().int().positive().optional(),
};

/** Also accepts a plain number, which is used as the probability. */
function quirk<Parameters extends z.ZodRawShape>(parameters: Parameters) {
  const full = z.strictObject({ ...strike, ...parameters });
  return z.preprocess((value) => (typeof value === 'number' ? { probability: value } : value), full).optional();
}

const seconds = z.number().int().min(0).max(86_400);
const milliseconds = z.number().int().min(0).max(600_000);

export const quirksSchema = z.strictObject({
  /** The entity exists, but the platform returns "no data". */
  noDataError: quirk({}),
  /** The platform reports that the quota is exhausted when it isn't. */
  quotaError: quirk({}),
  busyError: quirk({}),
  /** A gateway returns its own page instead of the platform's JSON. */
  serverError: quirk({ status: z.literal([404, 500, 502, 503, 504]).default(503) }),
  tooManyRequests: quirk({ retryAfterSeconds: seconds.default(120) }),
  /** The connection closes before the response starts. */
  cutConnection: quirk({}),
  /** The connection closes partway through the body. */
  cutBody: quirk({}),
  /** The body is cut off halfway, but Content-Length matches. */
  truncatedBody: quirk({}),
  /** The body is not compressed, despite Content-Encoding: gzip. */
  brokenGzip: quirk({}),
  /** Redirects to another URL, as a captive portal redirects to its sign-in page. */
  redirect: quirk({}),
  /** Returns 200 with HTML, like a captive portal. */
  notJson: quirk({}),
  laterPageFails: quirk({}),
  wrongTotal: quirk({ by: z.number().int().default(3) }),
  /** Hidden items count toward the total and take up space on pages, in the same positions for every request. */
  hiddenItems: quirk({ count: z.number().int().positive().default(3) }),
  /** The total still counts the missing item. */
  missingItem: quirk({}),
  /** A page repeats an item in place of another one, so the total still matches. */
  duplicateItem: quirk({}),
  /** A list contains the same item twice in every response, and the total counts both copies. */
  repeatedItem: quirk({}),
  /** One item on a page is null. */
  nullItem: quirk({}),
  /**
   * Spotify only. A list skips some releases at the start of its second group: as many as the first group has on its
   * last page.
   */
  groupGap: quirk({}),
  emptyList: quirk({}),
  /** Deezer only. `md5_image` is the hash of an empty file. */
  noPicture: quirk({}),
  invisibleNames: quirk({}),
  /** Releases with a future date aren't playable in any country. */
  unplayableUntilOut: quirk({}),
  /** A later page repeats the first one, as if a cache ignored the offset. */
  repeatedPage: quirk({}),
  /** About a third of all fields are missing or null, including ids and totals. */
  vanishingFields: quirk({
    keep: z.array(z.string()).default([]),
  }),
  /** The response contains a different entity, with that entity's id. */
  relink: quirk({}),
  zeroFollowers: quirk({}),
  /** Releases and tracks lose their name, date and picture, as happens after some takedowns. */
  hollowAnswer: quirk({}),
  /**
   * The API still returns some of the removed items, always the same ones. On Spotify, they have no markets. On Deezer,
   * their tracks are unreadable and have no countries.
   */
  removedStillAnswers: quirk({}),
  /** Spotify only. In every market, a removed item's recordings are still available on another release. */
  recordingsElsewhere: quirk({}),
  /** Spotify only. Items have no markets, even though they are available everywhere. */
  emptyMarkets: quirk({}),
  /** Spotify only. The markets are outdated, as if they came from a stale cache. */
  staleMarkets: quirk({ without: z.array(z.string().regex(/^[A-Z]{2}$/)).default(['CA', 'US']) }),
  /** Spotify only. A release has different tracks each time it is read. */
  relinkedTracks: quirk({}),
  /** Deezer only. Tracks are unreadable for this client, but still have countries. */
  unreadableTracks: quirk({}),
  /** Deezer only. */
  textDurations: quirk({}),
  hyphenatedIsrc: quirk({}),
  slow: quirk({ delayMs: milliseconds.default(3_000) }),
  /** The client appears to be abroad for a while, so items that aren't available there are hidden. */
  foreignCountry: quirk({
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .default('US'),
    holdMs: milliseconds.default(60_000),
  }),
  /**
   * Spotify only. For an artist that doesn't exist, returns an empty list instead of an error. Deezer always does this.
   */
  emptyListOfUnknownArtist: quirk({}),
  /** Spotify only. The API rejects an access token before it expires. */
  expiredToken: quirk({}),
  /**
   * Spotify only. Some fields, large pages and batch requests are unavailable. Any probability above 0 enables the mode
   * permanently.
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
