/**
 * What changed from one catalogue to the next, as JSON: the fields of an entity that are set and unset, and the members
 * of its lists that were added, removed or changed, found by their ids. Values within a field (credits, markets) are
 * replaced as a whole.
 */
import type { JsonValue } from '../change/difference.js';

/** A catalogue, a release or a track in the form in which it is stored: what is unknown is not there. */
export type StoredEntity = { readonly [name: string]: JsonValue };

export interface EntityDelta {
  readonly set?: StoredEntity;
  readonly unset?: readonly string[];
  readonly members?: { readonly [name: string]: MembersDelta };
}

export interface MembersDelta {
  readonly removed?: readonly string[];
  readonly added?: readonly StoredEntity[];
  readonly changed?: readonly (readonly [id: string, delta: EntityDelta])[];
}

/** The lists whose members have ids of their own. */
const MEMBER_LISTS = new Set(['releases', 'tracks']);

/** Empty where nothing changed. Both must be in their stored order, see `storedForm`. */
export function deltaBetween(before: StoredEntity, after: StoredEntity): EntityDelta {
  const set: Record<string, JsonValue> = {};
  const members: Record<string, MembersDelta> = {};
  for (const [name, is] of Object.entries(after)) {
    const was = before[name];
    if (was === is) continue;
    if (MEMBER_LISTS.has(name) && was !== undefined) {
      const delta = membersDelta(entitiesOf(was), entitiesOf(is));
      if (!isEmpty(delta)) members[name] = delta;
    } else if (was === undefined || !sameValue(was, is)) set[name] = is;
  }
  const unset = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return {
    ...(isEmpty(set) ? {} : { set }),
    ...(unset.length === 0 ? {} : { unset }),
    ...(isEmpty(members) ? {} : { members }),
  };
}

function membersDelta(before: readonly StoredEntity[], after: readonly StoredEntity[]): MembersDelta {
  const known = new Map(before.map((entity) => [idOf(entity), entity]));
  const added: StoredEntity[] = [];
  const changed: [string, EntityDelta][] = [];
  for (const entity of after) {
    const id = idOf(entity);
    const was = known.get(id);
    known.delete(id);
    if (was === undefined) added.push(entity);
    else {
      const delta = deltaBetween(was, entity);
      if (!isEmpty(delta)) changed.push([id, delta]);
    }
  }
  const removed = [...known.keys()];
  return {
    ...(removed.length === 0 ? {} : { removed }),
    ...(added.length === 0 ? {} : { added }),
    ...(changed.length === 0 ? {} : { changed }),
  };
}

/** A delta that does not belong to what it is applied to, or is none at all. */
export class DeltaMismatch extends Error {
  override readonly name = 'DeltaMismatch';
}

/** @throws {DeltaMismatch} */
export function applyDelta(before: StoredEntity, delta: EntityDelta): StoredEntity {
  const after: Record<string, JsonValue> = { ...before, ...delta.set };
  for (const name of delta.unset ?? []) delete after[name];
  for (const [name, change] of Object.entries(delta.members ?? {})) {
    const was = before[name];
    if (was === undefined) throw new DeltaMismatch(`there are no ${name}`);
    after[name] = applyToMembers(entitiesOf(was), change);
  }
  return after;
}

function applyToMembers(before: readonly StoredEntity[], delta: MembersDelta): StoredEntity[] {
  const members = new Map(before.map((entity) => [idOf(entity), entity]));
  for (const id of delta.removed ?? []) {
    if (!members.delete(id)) throw new DeltaMismatch(`${id} is not there`);
  }
  for (const [id, change] of delta.changed ?? []) {
    const was = members.get(id);
    if (was === undefined) throw new DeltaMismatch(`${id} is not there`);
    members.set(id, applyDelta(was, change));
  }
  for (const entity of delta.added ?? []) {
    if (members.has(idOf(entity))) throw new DeltaMismatch(`${idOf(entity)} is there already`);
    members.set(idOf(entity), entity);
  }
  return inIdOrder([...members.values()]);
}

export function inIdOrder<Entity extends { readonly platformId?: unknown }>(entities: readonly Entity[]): Entity[] {
  const ids = new Map(entities.map((entity) => [entity, idOf(entity)]));
  return entities.toSorted((a, b) => {
    const [one, other] = [ids.get(a) ?? '', ids.get(b) ?? ''];
    return one < other ? -1 : one > other ? 1 : 0;
  });
}

function idOf({ platformId }: { readonly platformId?: unknown }): string {
  if (typeof platformId !== 'string') throw new DeltaMismatch('an entity has no id');
  return platformId;
}

function entitiesOf(value: JsonValue): readonly StoredEntity[] {
  if (!Array.isArray(value)) throw new DeltaMismatch('a list is none');
  return value as readonly StoredEntity[];
}

/** Of values that went the same way into JSON. */
export function sameValue(a: JsonValue, b: JsonValue): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  if (a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((value, index) => sameValue(value, b[index] ?? null));
  }
  const [one, other] = [a as StoredEntity, b as StoredEntity];
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && sameValue(one[name] ?? null, other[name] ?? null));
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
