import { durationMs } from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';
import type { EntityKind, SimulatedArtist, SimulatedRelease, SimulatedTrack } from '../world/entities.js';
import type { World } from '../world/world.js';

const NAME = /^[a-z][a-z0-9_]*$/;

/** How a member of the cast is called. */
export const castName = z.string().regex(NAME, 'is not a name such as "first_album"');

/** `500ms`, `10m`, `1.5h`, `2d`, in milliseconds. */
export const duration = durationMs();

const nth = z.number().int().min(0);

/** Somebody or something of the catalogue as it is when the scenario begins; releases newest first, from 0. */
export const memberSchema = z.union([
  z.strictObject({ artist: nth }),
  z.strictObject({ release: nth, of: castName }),
  z.strictObject({ track: nth, of: castName }),
]);

type CastMember = z.output<typeof memberSchema>;

export type CastEntity =
  | { readonly kind: 'artist'; readonly id: string; readonly atFirst: SimulatedArtist }
  | { readonly kind: 'release'; readonly id: string; readonly atFirst: SimulatedRelease }
  | { readonly kind: 'track'; readonly id: string; readonly atFirst: SimulatedTrack };

/** The entities that a scenario is about, under the names that it gives them. */
export class Cast {
  readonly #world: World;
  readonly #entities = new Map<string, CastEntity>();

  /** Throws when the catalogue has too little for it. */
  constructor(world: World, members: Readonly<Record<string, CastMember>>) {
    this.#world = world;
    for (const [name, member] of Object.entries(members)) this.#find(name, member);
  }

  add(name: string, kind: EntityKind, id: string): void {
    // Fields are never changed in place but for the entity's own, so a flat copy holds what it was.
    this.#entities.set(name, { kind, id, atFirst: { ...this.#world.known(kind, id) } } as CastEntity);
  }

  /** From now on everything is "at first" as it is now. */
  begin(): void {
    for (const [name, { kind, id }] of [...this.#entities]) this.add(name, kind, id);
  }

  get(name: string): CastEntity {
    const entity = this.#entities.get(name);
    if (!entity) throw new Error(`"${name}" is not there yet.`);
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

  #nth(name: string, entities: readonly { readonly id: string }[], place: number): string {
    const entity = entities[place];
    if (!entity) {
      throw new Error(`cast.${name}: number ${place} is asked for, and the catalogue has ${entities.length}.`);
    }
    return entity.id;
  }
}
