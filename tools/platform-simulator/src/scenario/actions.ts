import { durationMs } from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';
import { QUIRK_NAMES, quirksSchema } from '../quirks/quirks.js';

/** What can happen on a platform, as a scenario says it. Who it happens to is named by the cast. */

export const NAME = /^[a-z][a-z0-9_]*$/;

/** How a member of the cast is called. */
export const castName = z.string().regex(NAME, 'is not a name such as "first_album"');

/** `500ms`, `10m`, `1.5h`, `2d`, in milliseconds. */
export const duration = durationMs();

const when = {
  /** From the moment in which the scenario begins; left out, it is so from the start, before anything is read. */
  at: duration.optional(),
};
const text = z.string().min(1).max(500);
const isrc = z.string().regex(/^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/, 'is not an ISRC');
const country = z.string().regex(/^[A-Z]{2}$/, 'is not a country such as "FR"');
const countries = z.array(country).min(1);
const count = z.number().int().positive();

const artist = { artist: castName };
const release = { release: castName };
const track = { track: castName };

export const actionSchema = z.discriminatedUnion('do', [
  z.strictObject({ ...when, do: z.literal('remove_artist'), ...artist }),
  z.strictObject({ ...when, do: z.literal('rename_artist'), ...artist, name: text }),
  z.strictObject({ ...when, do: z.literal('change_image'), ...artist }),
  z.strictObject({ ...when, do: z.literal('set_followers'), ...artist, to: z.number().int().min(0) }),
  /** The platform answers with `into` when it is asked for `artist`. */
  z.strictObject({ ...when, do: z.literal('merge_artist'), ...artist, into: castName }),

  /** A new release, called `as` from then on; `same_as` lends it its title, UPC and recordings. */
  z.strictObject({
    ...when,
    do: z.literal('add_release'),
    ...artist,
    as: castName,
    same_as: castName.optional(),
    title: text.optional(),
    tracks: z.number().int().min(1).max(100).optional(),
  }),
  z.strictObject({ ...when, do: z.literal('remove_release'), ...release }),
  z.strictObject({ ...when, do: z.literal('change_title'), ...release, title: text }),
  z.strictObject({ ...when, do: z.literal('change_artwork'), ...release }),
  z.strictObject({ ...when, do: z.literal('change_date'), ...release, date: z.iso.date() }),
  z.strictObject({ ...when, do: z.literal('change_label'), ...release, label: text }),
  z.strictObject({ ...when, do: z.literal('change_upc'), ...release, upc: z.string().regex(/^\d{12,13}$/) }),
  /** Half of its markets, so many of them, or those that are named. */
  z.strictObject({
    ...when,
    do: z.literal('drop_markets'),
    ...release,
    drop: z.union([z.literal('half'), count, countries]),
  }),
  /** The whole catalogue is sold there no more, or from now on. */
  z.strictObject({ ...when, do: z.enum(['close_markets', 'open_markets']), ...artist, countries }),
  /** The platform answers with `to` when it is asked for `release`. */
  z.strictObject({ ...when, do: z.literal('relink_release'), ...release, to: castName }),
  /** Every release of that label, whoever it is by. */
  z.strictObject({ ...when, do: z.literal('take_down_label'), label: text }),
  z.strictObject({ ...when, do: z.literal('put_back_label'), label: text }),

  z.strictObject({
    ...when,
    do: z.literal('add_track'),
    ...release,
    as: castName,
    title: text.optional(),
    isrc: isrc.optional(),
  }),
  z.strictObject({ ...when, do: z.literal('remove_track'), ...track }),
  z.strictObject({ ...when, do: z.literal('rename_track'), ...track, title: text }),
  z.strictObject({ ...when, do: z.literal('change_isrc'), ...track, isrc }),
  z.strictObject({ ...when, do: z.literal('swap_isrcs'), ...track, with: castName }),
  z.strictObject({ ...when, do: z.literal('change_explicit'), ...track, explicit: z.boolean() }),
  /** The main artist first, then the featured ones. */
  z.strictObject({ ...when, do: z.literal('change_credits'), ...track, artists: z.array(castName).min(1) }),

  /** One member of the cast is again as it was when the scenario began: there, with its own fields. */
  z.strictObject({ ...when, do: z.literal('revert'), entity: castName }),

  /** These quirks besides those that are on; for good, until `quirk_off`, or `for` so long. */
  z.strictObject({ ...when, do: z.literal('quirk'), set: quirksSchema, for: duration.optional() }),
  /** Without these; without any when none is named. */
  z.strictObject({ ...when, do: z.literal('quirk_off'), quirks: z.array(z.enum(QUIRK_NAMES)).optional() }),
  /** Everything is answered with a gateway's 503. */
  z.strictObject({ ...when, do: z.literal('outage'), for: duration }),
]);

export type Action = z.output<typeof actionSchema>;
