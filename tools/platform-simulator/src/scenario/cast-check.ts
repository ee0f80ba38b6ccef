import type { EntityKind } from '../world/entities.js';
import type { Action } from './actions.js';

export interface CastUse {
  readonly cast: Readonly<Record<string, object>>;
  readonly watch?: readonly string[] | undefined;
  readonly events: readonly Action[];
  readonly expect: readonly { readonly entity: string }[];
}

export interface CastProblem {
  readonly path: (string | number)[];
  readonly message: string;
}

/** The kind of what a name must stand for, in the fields that hold one; `undefined` for any. */
const NAMING_FIELDS: Readonly<Record<string, EntityKind | undefined>> = {
  artist: 'artist',
  into: 'artist',
  artists: 'artist',
  release: 'release',
  same_as: 'release',
  to: 'release',
  track: 'track',
  with: 'track',
  entity: undefined,
};

/** Names that stand for nothing, or for something of another kind, and names that are given twice. */
export function castProblems({ cast, watch = [], events, expect }: CastUse): CastProblem[] {
  const kinds = new Map<string, EntityKind>();
  const problems: CastProblem[] = [];
  const check = (path: (string | number)[], name: string, wanted: EntityKind | undefined) => {
    const kind = kinds.get(name);
    if (kind === undefined) problems.push({ path, message: `there is no "${name}" in the cast` });
    else if (wanted !== undefined && kind !== wanted) {
      problems.push({ path, message: `"${name}" is ${withArticle(kind)}, not ${withArticle(wanted)}` });
    }
  };

  for (const [name, member] of Object.entries(cast)) {
    const kind = 'artist' in member ? 'artist' : 'release' in member ? 'release' : 'track';
    if ('of' in member) check(['cast', name, 'of'], String(member.of), kind === 'release' ? 'artist' : 'release');
    kinds.set(name, kind);
  }
  for (const [index, name] of watch.entries()) check(['watch', index], name, 'artist');
  for (const [index, event] of events.entries()) {
    for (const [field, value] of Object.entries(event)) {
      if (!(field in NAMING_FIELDS) || typeof value === 'number') continue;
      for (const name of [value].flat()) check(['events', index, field], String(name), NAMING_FIELDS[field]);
    }
    if (event.do !== 'add_release' && event.do !== 'add_track') continue;
    if (kinds.has(event.as)) problems.push({ path: ['events', index, 'as'], message: `"${event.as}" is taken` });
    kinds.set(event.as, event.do === 'add_release' ? 'release' : 'track');
  }
  for (const [index, { entity }] of expect.entries()) check(['expect', index, 'entity'], entity, undefined);
  return problems;
}

function withArticle(kind: EntityKind): string {
  return kind === 'artist' ? 'an artist' : `a ${kind}`;
}
