import { durationMs } from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';
import type { EntityKind, SimulatedArtist, SimulatedRelease, SimulatedTrack } from '../world/entities.js';
import type { World } from '../world/world.js';

const NAME = /^[a-z][a-z0-9_]*$/;

export const castName = z.string().regex(NAME, 'is not a name such as "first_album"');

/** Accepts `500ms`, `10m`, `1.5h` or `2d`. */
export const duration = durationMs();

const nth = z.number().int().min(0);

/** Indexes start at 0 and refer to the catalogue at the start of the scenario, with the newest release first. */
export const memberSchema = z.union([
  z.strictObject({ artist: nth }),
  z.strictObject({ release: nth, of: castName }),
  z.strictObject({ track: nth, of: castName }),
]);

type CastMember = z.output<typeof memberSchema>;

export type CastEntity =
  | { readonly kind: 'artist'; readonly id: string; readonly original: SimulatedArtist }
  | { readonly kind: 'release'; readonly id: string; readonly original: SimulatedRelease }
  | { readonly kind: 'track'; readonly id: string; readonly original: SimulatedTrack };

export class Cast {
  readonly #world: World;
  readonly #entities = new Map<string, CastEntity>();

  /** @throws Error if the catalogue is too small */
  constructor(world: World, members: Readonly<Record<string, CastMember>>) {
    this.#world = world;
    for (const [name, member] of Object.entries(members)) this.#find(name, member);
  }

  add(name: string, kind: EntityKind, id: string): void {
    // A shallow copy is enough, because nested values are only ever replaced, not changed.
    this.#entities.set(name, { kind, id, original: { ...this.#world.known(kind, id) } } as CastEntity);
  }

  saveState(): void {
    for (const [name, { kind, id }] of [...this.#entities]) this.add(name, kind, id);
  }

  get(name: string): CastEntity {
    const entity = this.#entities.get(name);
    if (!entity) throw new Error(`The cast has no "${name}" yet.`);
    return entity;
  }

  id(name: string): string {
    return this.get(name).id;
  }

  entries(): readonly { readonly name: string; readonly kind: EntityKind; readonly id: string }[] {
    return [...this.#entities].map(([name, { kind, id }]) => ({ name, kind, id }));
  }

  #find(name: string, member: CastMember): void {
    if ('artist' in member) {
      this.add(name, 'artist', this.#nth(name, this.#world.artists(), member.artist));
    } else if ('release' in member) {
      this.add(name, 'release', this.#nth(name, this.#world.releasesOf(this.id(member.of)), member.release));
    } else {
      this.add(name, 'track', this.#nth(name, this.#world.tracksOf(this.id(member.of)), member.track));
    }
  }

  #nth(name: string, entities: readonly { readonly id: string }[], index: number): string {
    const entity = entities[index];
    if (!entity) {
      throw new Error(
        `cast.${name}: index ${index} does not exist, because the catalogue has only ${entities.length} entities of this kind.`,
      );
    }
    return entity.id;
  }
}
