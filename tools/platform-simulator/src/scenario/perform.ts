import type { ControlTarget } from '../control/commands.js';
import { pictureId } from '../world/id-form.js';
import type { Action } from './actions.js';
import type { Cast } from './cast.js';

/** Lets one action of a scenario happen. */
export function perform(action: Action, cast: Cast, target: ControlTarget): void {
  const { additions } = target;
  const { world } = additions;
  switch (action.do) {
    case 'remove_artist':
      world.changeArtist(cast.id(action.artist), { removed: true });
      return;
    case 'rename_artist':
      world.changeArtist(cast.id(action.artist), { name: action.name });
      return;
    case 'change_image': {
      const id = cast.id(action.artist);
      world.changeArtist(id, { imageId: pictureId(world.known('artist', id).imageId) });
      return;
    }
    case 'set_followers':
      world.changeArtist(cast.id(action.artist), { followers: action.to });
      return;
    case 'merge_artist':
      world.changeArtist(cast.id(action.artist), { mergedInto: cast.id(action.into) });
      return;

    case 'add_release': {
      const former = action.same_as === undefined ? undefined : world.known('release', cast.id(action.same_as));
      const added = additions.addRelease({
        artistId: cast.id(action.artist),
        title: action.title ?? former?.title,
        type: former?.type,
        releaseDate: former?.releaseDate,
        upc: former?.upc,
        tracks: former ? world.tracksOf(former.id).map(({ isrc }) => isrc) : action.tracks,
      });
      cast.add(action.as, 'release', added.id);
      return;
    }
    case 'remove_release':
      world.changeRelease(cast.id(action.release), { removed: true });
      return;
    case 'change_title':
      world.changeRelease(cast.id(action.release), { title: action.title });
      return;
    case 'change_artwork': {
      const id = cast.id(action.release);
      world.changeRelease(id, { artworkId: pictureId(world.known('release', id).artworkId) });
      return;
    }
    case 'change_date':
      world.changeRelease(cast.id(action.release), { releaseDate: action.date });
      return;
    case 'change_label':
      world.changeRelease(cast.id(action.release), { label: action.label });
      return;
    case 'change_upc':
      world.changeRelease(cast.id(action.release), { upc: action.upc });
      return;
    case 'drop_markets': {
      const id = cast.id(action.release);
      world.sell(id, without(world.known('release', id).markets, action.drop));
      return;
    }
    case 'close_markets':
    case 'open_markets':
      world.trade(cast.id(action.artist), action.countries, action.do === 'open_markets');
      return;
    case 'relink_release':
      world.changeRelease(cast.id(action.release), { relinkedTo: cast.id(action.to) });
      return;
    case 'take_down_label':
      world.removeLabel(action.label, true);
      return;
    case 'put_back_label':
      world.removeLabel(action.label, false);
      return;

    case 'add_track': {
      const { release, as, title, isrc } = action;
      cast.add(as, 'track', additions.addTrack({ releaseId: cast.id(release), title, isrc }).id);
      return;
    }
    case 'remove_track':
      world.changeTrack(cast.id(action.track), { removed: true });
      return;
    case 'rename_track':
      world.changeTrack(cast.id(action.track), { title: action.title });
      return;
    case 'change_isrc':
      world.changeTrack(cast.id(action.track), { isrc: action.isrc });
      return;
    case 'swap_isrcs': {
      const one = world.known('track', cast.id(action.track));
      const other = world.known('track', cast.id(action.with));
      const [isrcOfOne, isrcOfOther] = [one.isrc, other.isrc];
      world.changeTrack(one.id, { isrc: isrcOfOther });
      world.changeTrack(other.id, { isrc: isrcOfOne });
      return;
    }
    case 'change_explicit':
      world.changeTrack(cast.id(action.track), { explicit: action.explicit });
      return;
    case 'change_credits':
      world.changeTrack(cast.id(action.track), { artistIds: action.artists.map((name) => cast.id(name)) });
      return;

    case 'revert':
      revert(action.entity, cast, target);
      return;

    case 'quirk':
      target.setQuirks({ ...target.quirks(), ...action.set });
      return;
    case 'quirk_off': {
      const off = action.quirks?.map((name) => [name, undefined] as const);
      target.setQuirks(off === undefined ? {} : { ...target.quirks(), ...Object.fromEntries(off) });
      return;
    }
    case 'outage':
      target.setQuirks({ ...target.quirks(), serverError: { probability: 1, status: 503 } });
      return;
    default:
      throw new Error(`There is no action ${action satisfies never}.`);
  }
}

function revert(name: string, cast: Cast, { additions: { world } }: ControlTarget): void {
  const entity = cast.get(name);
  switch (entity.kind) {
    case 'artist':
      world.changeArtist(entity.id, entity.atFirst);
      return;
    case 'release':
      world.changeRelease(entity.id, entity.atFirst);
      world.sell(entity.id, entity.atFirst.markets);
      return;
    case 'track':
      world.changeTrack(entity.id, entity.atFirst);
  }
}

function without(markets: readonly string[], drop: 'half' | number | readonly string[]): readonly string[] {
  if (typeof drop === 'object') return markets.filter((market) => !drop.includes(market));
  const dropped = drop === 'half' ? Math.ceil(markets.length / 2) : drop;
  return markets.slice(0, Math.max(0, markets.length - dropped));
}
