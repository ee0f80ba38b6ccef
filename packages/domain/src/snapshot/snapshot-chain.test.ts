import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CatalogueState } from '../catalogue.js';
import { catalogue, shuffled } from '../comparison/catalogue.arbitrary.js';
import { compare } from '../comparison/snapshot-comparison.js';
import { encodeSnapshot, LONGEST_CHAIN_MS, MOST_LINKS, rebuild, type SnapshotLink } from './snapshot-chain.js';

const START = Date.UTC(2026, 2, 1);
const HOUR_MS = 3_600_000;

/** Everything that was kept of one artist, as the record keeps it. */
class Kept {
  readonly links: SnapshotLink[] = [];

  keep(state: CatalogueState, observedAt = new Date(START + this.links.length * HOUR_MS)): SnapshotLink {
    const tip = this.links.at(-1);
    const { baseId, digest, content } = encodeSnapshot(state, observedAt, tip ? this.chainOf(tip.id) : []);
    // As JSONB gives it back: in another order of the keys.
    const link = { id: `s${this.links.length}`, observedAt, baseId, digest, content: reordered(content) };
    this.links.push(link);
    return link;
  }

  chainOf(id: string): SnapshotLink[] {
    const link = this.links.find((one) => one.id === id);
    if (!link) return [];
    return link.baseId === null ? [link] : [link, ...this.chainOf(link.baseId)];
  }
}

function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, reordered(part)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => a.length - b.length || (a < b ? 1 : -1)));
}

/** Without the order of its lists, and without what is unknown. */
function content({ artist, releases }: CatalogueState): unknown {
  const byId = (a: { platformId: string }, b: { platformId: string }) => (a.platformId < b.platformId ? -1 : 1);
  const ordered = releases.toSorted(byId).map((one) => ({ ...one, tracks: one.tracks?.toSorted(byId) }));
  return JSON.parse(JSON.stringify({ artist, releases: ordered }));
}

/** Shallow and deep readings of one artist in turn, some of them the same. */
const readings = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: catalogue.map((state) => ({ kind: 'other' as const, state })) },
    { weight: 1, arbitrary: fc.integer().map((seed) => ({ kind: 'same' as const, seed })) },
    { weight: 1, arbitrary: fc.constant({ kind: 'shallow' as const }) },
  ),
  { minLength: 1, maxLength: 30 },
);

function statesOf(sights: ReadonlyArray<Record<string, unknown> & { kind: string }>, first: CatalogueState) {
  let state = first;
  return [first].concat(
    sights.map((sight) => {
      if (sight.kind === 'other') state = sight.state as CatalogueState;
      else if (sight.kind === 'same') state = shuffled(state, sight.seed as number);
      else state = { ...state, releases: state.releases.map((one) => ({ ...one, tracks: undefined })) };
      return state;
    }),
  );
}

const history = fc.tuple(readings, catalogue).map(([sights, first]) => statesOf(sights, first));

describe('a chain of snapshots', () => {
  test('gives back every catalogue that was put in, whatever came before and after it', () => {
    fc.assert(
      fc.property(history, (states) => {
        const kept = new Kept();
        for (const state of states) kept.keep(state);
        for (const [index, state] of states.entries()) {
          const rebuilt = rebuild(kept.chainOf(`s${index}`));
          if (rebuilt.kind === 'broken') throw new Error(JSON.stringify(rebuilt));
          expect(content(rebuilt.catalogue)).toEqual(content(state));
          expect(compare(state, rebuilt.catalogue)).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('is whole again after so many links, and after so long', () => {
    const [state] = fc.sample(catalogue, { numRuns: 1, seed: 7 });
    if (!state) throw new Error('no catalogue');
    const kept = new Kept();
    for (let index = 0; index < 3 * MOST_LINKS; index += 1) kept.keep(state);
    const whole = kept.links.flatMap(({ baseId }, index) => (baseId === null ? index : []));
    expect(whole).toEqual([0, MOST_LINKS, 2 * MOST_LINKS]);

    const slow = new Kept();
    for (const days of [0, 3, 6, 8, 14]) slow.keep(state, new Date(START + days * 24 * HOUR_MS));
    expect(slow.links.map(({ baseId }) => baseId)).toEqual([null, 's0', 's1', null, 's3']);
    for (const { id, observedAt } of slow.links) {
      const first = slow.chainOf(id).at(-1)?.observedAt.getTime() ?? 0;
      expect(observedAt.getTime() - first).toBeLessThan(LONGEST_CHAIN_MS);
    }
  });

  test('keeps next to nothing of what did not change', () => {
    const [state] = fc.sample(catalogue, { numRuns: 1, seed: 7 });
    if (!state) throw new Error('no catalogue');
    const kept = new Kept();
    kept.keep(state);
    expect(kept.keep(shuffled(state, 3)).content).toEqual({ delta: {} });
  });

  test('that lost a link, or in which anything was altered, never yields another catalogue, and a new one begins', () => {
    const damage = fc.record({ which: fc.nat(), kind: fc.constantFrom('lost', 'emptied', 'swapped', 'edited') });
    fc.assert(
      fc.property(history, damage, catalogue, (states, { which, kind }, next) => {
        const kept = new Kept();
        for (const state of states) kept.keep(state);
        const tip = kept.links.at(-1);
        const chain = kept.chainOf(tip?.id ?? '');
        const place = which % chain.length;
        const other = chain[(place + 1) % chain.length];
        const broken = chain.flatMap((link, index) => {
          if (index !== place) return link;
          switch (kind) {
            case 'lost':
              return [];
            case 'emptied':
              return { ...link, content: null };
            case 'swapped':
              return { ...link, content: other?.content };
            default:
              return { ...link, content: edited(link.content) };
          }
        });
        // A record that loses its newest link has lost nothing that anybody builds on.
        const expected = states[states.length - 1 - (kind === 'lost' && place === 0 ? 1 : 0)];
        if (broken.length === 0) return;
        const rebuilt = rebuild(broken);
        if (rebuilt.kind === 'whole') expect(content(rebuilt.catalogue)).toEqual(content(expected as CatalogueState));
        else {
          const encoded = encodeSnapshot(next, new Date(START + 100 * HOUR_MS), broken);
          expect(encoded).toMatchObject({ baseId: null, broken: rebuilt.broken });
          expect(encoded.content).toMatchObject({ follows: { ...rebuilt.broken } });
        }
      }),
      { numRuns: 120 },
    );
  });
});

/** One text of it is another. */
function edited(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replace(/"(t|r|p|a)(\d+)"/, '"$1$2x"'));
}
