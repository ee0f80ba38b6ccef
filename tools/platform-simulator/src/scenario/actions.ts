import { z } from 'zod';
import type { ControlTarget } from '../control/control-app.js';
import { QUIRK_NAMES, quirksSchema } from '../quirks/quirks.js';
import { countries, followers, isrc, text } from '../world/fields.js';
import { pictureId } from '../world/id-form.js';
import type { World } from '../world/world.js';
import { type Cast, castName, duration } from './cast.js';

const someCountries = countries.min(1);
const count = z.number().int().positive();

const artist = { artist: castName };
const release = { release: castName };
const track = { track: castName };

interface Stage {
  readonly cast: Cast;
  /** Returns the id of the entity with this name in the cast. */
  readonly id: (name: string) => string;
  readonly world: World;
  readonly target: ControlTarget;
}

function action<Name extends string, Shape extends z.ZodRawShape>(
  name: Name,
  shape: Shape,
  act: (action: z.output<z.ZodObject<Shape>>, stage: Stage) => unknown,
) {
  /** If `at` is omitted, the action happens before the first poll. */
  const schema = z.strictObject({ at: duration.optional(), do: z.literal(name), ...shape });
  return { schema, act };
}

const ACTIONS = [
  action('remove_artist', artist, (it, { id, world }) => world.changeArtist(id(it.artist), { removed: true })),
  action('rename_artist', { ...artist, name: text }, ({ artist, name }, { id, world }) =>
    world.changeArtist(id(artist), { name }),
  ),
  action('change_image', artist, (it, { id, world }) => {
    const artistId = id(it.artist);
    world.changeArtist(artistId, { imageId: pictureId(world.known('artist', artistId).imageId) });
  }),
  action('set_followers', { ...artist, to: followers }, (it, { id, world }) =>
    world.changeArtist(id(it.artist), { followers: it.to }),
  ),
  action('merge_artist', { ...artist, into: castName }, (it, { id, world }) =>
    world.changeArtist(id(it.artist), { mergedInto: id(it.into) }),
  ),

  /** The new release is called `as`. Its title, UPC and recordings are copied from `same_as`. */
  action(
    'add_release',
    {
      ...artist,
      as: castName,
      same_as: castName.optional(),
      title: text.optional(),
      tracks: z.number().int().min(1).max(100).optional(),
      date: z.iso.date().optional(),
    },
    (it, { cast, id, world, target }) => {
      const former = it.same_as === undefined ? undefined : world.known('release', id(it.same_as));
      const added = target.additions.addRelease({
        artistId: id(it.artist),
        title: it.title ?? former?.title,
        type: former?.type,
        releaseDate: it.date ?? former?.releaseDate,
        upc: former?.upc,
        tracks: former ? world.tracksOf(former.id).map((recording) => recording.isrc) : it.tracks,
      });
      cast.add(it.as, 'release', added.id);
    },
  ),
  action('remove_release', release, (it, { id, world }) => world.changeRelease(id(it.release), { removed: true })),
  action('move_release', { ...release, to: castName }, (it, { id, world }) =>
    world.moveRelease(id(it.release), id(it.to)),
  ),
  action('change_title', { ...release, title: text }, (it, { id, world }) =>
    world.changeRelease(id(it.release), { title: it.title }),
  ),
  action('change_date', { ...release, date: z.iso.date() }, (it, { id, world }) =>
    world.changeRelease(id(it.release), { releaseDate: it.date }),
  ),
  action('change_label', { ...release, label: text }, (it, { id, world }) =>
    world.changeRelease(id(it.release), { label: it.label }),
  ),
  action('change_upc', { ...release, upc: z.string().regex(/^\d{12,13}$/) }, (it, { id, world }) =>
    world.changeRelease(id(it.release), { upc: it.upc }),
  ),
  action('drop_markets', { ...release, drop: z.union([z.literal('half'), count]) }, (it, { id, world }) => {
    const releaseId = id(it.release);
    const { markets } = world.known('release', releaseId);
    const dropped = it.drop === 'half' ? Math.ceil(markets.length / 2) : it.drop;
    world.sell(releaseId, markets.slice(0, Math.max(0, markets.length - dropped)));
  }),
  action('close_markets', { ...artist, countries: someCountries }, (it, { id, world }) =>
    world.trade(id(it.artist), it.countries, false),
  ),
  action('open_markets', { ...artist, countries: someCountries }, (it, { id, world }) =>
    world.trade(id(it.artist), it.countries, true),
  ),
  action('relink_release', { ...release, to: castName }, (it, { id, world }) =>
    world.changeRelease(id(it.release), { relinkedTo: id(it.to) }),
  ),
  action('take_down_label', { label: text }, (it, { world }) => world.removeLabel(it.label, true)),
  action('put_back_label', { label: text }, (it, { world }) => world.removeLabel(it.label, false)),

  action(
    'add_track',
    { ...release, as: castName, title: text.optional(), isrc: isrc.optional() },
    ({ release, as, title, isrc }, { cast, id, target }) =>
      cast.add(as, 'track', target.additions.addTrack({ releaseId: id(release), title, isrc }).id),
  ),
  action('remove_track', track, (it, { id, world }) => world.changeTrack(id(it.track), { removed: true })),
  action('rename_track', { ...track, title: text }, (it, { id, world }) =>
    world.changeTrack(id(it.track), { title: it.title }),
  ),
  action('swap_isrcs', { ...track, with: castName }, (it, { id, world }) => {
    const one = world.known('track', id(it.track));
    const other = world.known('track', id(it.with));
    const [firstIsrc, secondIsrc] = [one.isrc, other.isrc];
    world.changeTrack(one.id, { isrc: secondIsrc });
    world.changeTrack(other.id, { isrc: firstIsrc });
  }),
  action('change_explicit', { ...track, explicit: z.boolean() }, (it, { id, world }) =>
    world.changeTrack(id(it.track), { explicit: it.explicit }),
  ),
  action('change_credits', { ...track, artists: z.array(castName).min(1) }, (it, { id, world }) =>
    world.changeTrack(id(it.track), { artistIds: it.artists.map(id) }),
  ),

  /** Restores the fields to their values at the start of the scenario. */
  action('revert', { entity: castName }, (it, { cast, world }) => {
    const entity = cast.get(it.entity);
    if (entity.kind === 'artist') world.changeArtist(entity.id, entity.original);
    if (entity.kind === 'track') world.changeTrack(entity.id, entity.original);
    if (entity.kind !== 'release') return;
    world.changeRelease(entity.id, entity.original);
    world.sell(entity.id, entity.original.markets);
  }),

  /** The quirks stay on until `quirk_off`, or for the duration `for`. */
  action('quirk', { set: quirksSchema, for: duration.optional() }, (it, { target }) =>
    target.setQuirks({ ...target.quirks(), ...it.set }),
  ),
  /** Default: all quirks. */
  action('quirk_off', { quirks: z.array(z.enum(QUIRK_NAMES)).optional() }, (it, { target }) => {
    const off = it.quirks?.map((name) => [name, undefined] as const);
    target.setQuirks(off === undefined ? {} : { ...target.quirks(), ...Object.fromEntries(off) });
  }),
  action('outage', { for: duration }, (_it, { target }) =>
    target.setQuirks({ ...target.quirks(), serverError: { probability: 1, status: 503 } }),
  ),
] as const;

type ActionSchema = (typeof ACTIONS)[number]['schema'];

export const actionSchema = z.discriminatedUnion(
  'do',
  ACTIONS.map(({ schema }) => schema) as unknown as readonly [ActionSchema, ...ActionSchema[]],
);

export type Action = z.output<ActionSchema>;

export function perform(action: Action, cast: Cast, target: ControlTarget): void {
  const found = ACTIONS.find(({ schema }) => schema.shape.do.value === action.do);
  found?.act(action as never, { cast, id: (name) => cast.id(name), world: target.world, target });
}
