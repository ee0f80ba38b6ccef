import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CatalogueState, Credit, ReleaseState, TrackState } from '../catalogue.js';
import { CHANGE_TYPES } from '../change/change-types.js';
import type { Difference } from '../change/difference.js';
import { firstBaseline } from '../detection/baseline.js';
import { learn } from '../detection/baseline-update.js';
import { blurred, catalogue, shuffled } from '../testing/catalogue-arbitrary.js';
import { compare, compareObservation } from './snapshot-comparison.js';

const CREDITS: readonly Credit[] = [{ platformId: 'a1', name: 'Björk' }];

function track(platformId: string, changed: Partial<TrackState> = {}): TrackState {
  return {
    platformId,
    title: `Title ${platformId}`,
    isrc: undefined,
    position: undefined,
    explicit: false,
    credits: CREDITS,
    ...changed,
  };
}

function release(platformId: string, changed: Partial<ReleaseState> = {}): ReleaseState {
  return {
    platformId,
    title: `Title ${platformId}`,
    type: 'album',
    releaseDate: '2001-08-27',
    artworkId: 'picture-1',
    label: 'One Little Indian',
    upc: undefined,
    explicit: false,
    credits: CREDITS,
    markets: ['DE', 'FR', 'GB', 'IS'],
    tracks: undefined,
    ...changed,
  };
}

function state(releases: readonly ReleaseState[], artist: Partial<CatalogueState['artist']> = {}): CatalogueState {
  return {
    artist: {
      platformId: 'a1',
      name: 'Björk',
      imageId: 'face-1',
      followers: 10,
      monthlyListeners: undefined,
      ...artist,
    },
    releases,
  };
}

const onRelease = (before: Partial<ReleaseState>, after: Partial<ReleaseState>): Difference[] =>
  compare(state([release('r1', before)]), state([release('r1', after)]));

const onTracks = (before: readonly TrackState[], after: readonly TrackState[]): Difference[] =>
  onRelease({ tracks: before }, { tracks: after });

const typesOf = (differences: readonly Difference[]): string[] => differences.map(({ type }) => type);

describe('unknown items', () => {
  const unknown = (count: number, ids: readonly string[]) => ({
    ...state(ids.map((id) => release(id))),
    unknownReleases: count,
  });

  test.each([
    [
      'an unknown item is not reported as added when its id becomes known',
      unknown(1, ['r1']),
      unknown(0, ['r1', 'r2']),
      [],
    ],
    [
      'an item whose id becomes known is not reported as added, even if a different item is now unknown',
      unknown(1, ['r1', 'r2']),
      unknown(1, ['r2', 'r3']),
      ['release_removed'],
    ],
    [
      'an item that is still unknown does not hide an addition',
      unknown(1, ['r1']),
      unknown(1, ['r1', 'r2']),
      ['release_added'],
    ],
    [
      'one unknown item hides only one of two additions',
      unknown(1, ['r1']),
      unknown(0, ['r1', 'r2', 'r3']),
      ['release_added'],
    ],
  ])('%s', (_, before, after, types) => {
    expect(typesOf(compare(before, after))).toEqual(types);
    const learned = learn(firstBaseline(before), after);
    const expected = after.releases.length - types.filter((type) => type === 'release_added').length;
    expect(
      learned.releases.filter(({ platformId }) => after.releases.some((one) => one.platformId === platformId)),
    ).toHaveLength(expected);
    expect(typesOf(compare(learned, after))).toEqual(types);
  });

  test('an unknown item does not hide the return of a removed item', () => {
    const baseline = { ...firstBaseline(unknown(1, ['r1'])), removed: [{ platformId: 'r2', title: undefined }] };
    expect(typesOf(compare(baseline, unknown(0, ['r1', 'r2'])))).toEqual(['release_restored']);
  });

  test('the rules for unknown releases also apply to unknown tracks', () => {
    const before = { tracks: [track('t1')], unknownTracks: 1 };
    expect(onRelease(before, { tracks: [track('t1'), track('t2')] })).toEqual([]);
    expect(typesOf(onRelease(before, { tracks: [track('t1'), track('t2'), track('t3')] }))).toEqual(['track_added']);
    const learned = learn(
      firstBaseline(state([release('r1', before)])),
      state([release('r1', { tracks: [track('t1'), track('t2')] })]),
    );
    expect(learned.releases[0]).toMatchObject({ tracks: [{ platformId: 't1' }, { platformId: 't2' }] });
    expect(learned.releases[0]?.unknownTracks).toBeUndefined();
  });
});

describe('comparison with an empty value', () => {
  test('a picture is not reported as changed if the old or the new one is an empty file', () => {
    const empty = { artworkId: createHash('md5').digest('hex') };
    expect(onRelease(empty, { artworkId: 'picture-1' })).toEqual([]);
    expect(onRelease({ artworkId: 'picture-1' }, empty)).toEqual([]);
  });

  test.each(['\u200b', '\u2060', '\u3164', '\u{e0041}\u{e007f}', ' \u2800\u00ad ', '\u0000'])(
    'a title is not reported as changed if the old or the new one is the invisible text %j',
    (title) => {
      expect(onRelease({ title }, { title: 'Post' })).toEqual([]);
      expect(onRelease({ title: 'Post' }, { title })).toEqual([]);
    },
  );

  test('a title that loses a zero-width joiner is reported as changed', () => {
    expect(typesOf(onRelease({ title: 'نامه\u200cها' }, { title: 'نامهها' }))).toEqual(['release_title_changed']);
  });
});

describe('release comparison', () => {
  test('a release that is missing from the list is reported as removed', () => {
    const tracks = [track('t1'), track('t2')];
    expect(compare(state([release('r1', { tracks }), release('r2')]), state([release('r2')]))).toEqual([
      {
        key: 'release_removed:r1:',
        type: 'release_removed',
        rule: 'absence',
        severity: 'critical',
        entityType: 'release',
        entityId: 'r1',
        entityName: 'Title r1',
        releaseId: null,
        releaseName: null,
        before: {
          ...{ platformId: 'r1', title: 'Title r1', type: 'album', releaseDate: '2001-08-27', upc: null },
          trackCount: 2,
          label: 'One Little Indian',
          artworkId: 'picture-1',
        },
        after: null,
        facts: {
          ...{ label: 'One Little Indian', upc: undefined, releaseDate: '2001-08-27' },
          tracks: tracks.map(({ title, isrc }) => ({ title, isrc })),
        },
      },
    ]);
  });

  test('a change to a track names the label, UPC and date of its release, and only that track', () => {
    const before = release('r1', { upc: '4059990017296', tracks: [track('t1'), track('t2')] });
    const after = release('r1', { tracks: [track('t1'), track('t2', { title: 'Other' })] });
    const [renamed] = compare(state([before]), state([after]));
    expect(renamed?.facts).toMatchObject({ upc: '4059990017296', label: 'One Little Indian' });
    expect(renamed?.facts?.tracks).toEqual([{ title: 'Title t2', isrc: track('t2').isrc }]);
    const long = release('r1', { tracks: [track('t1', { title: `a${'😀'.repeat(60)}` })] });
    // PostgreSQL rejects half of a character.
    const [gone] = compare(state([long]), state([]));
    expect(gone?.facts?.tracks?.[0]?.title).toBe(`a${'😀'.repeat(49)}`);
  });

  test('a removed release lists at most 30 tracks, and none if more than 100 changes are found at once', () => {
    const many = Array.from({ length: 40 }, (_, index) => track(`t${index}`));
    const [gone] = compare(state([release('r1', { tracks: many })]), state([]));
    expect(gone?.facts?.tracks).toHaveLength(30);
    const releases = Array.from({ length: 101 }, (_, index) => release(`r${index}`, { tracks: [track(`t${index}`)] }));
    const found = compare(state(releases), state([]));
    expect(found).toHaveLength(101);
    expect(found.flatMap(({ facts }) => facts?.tracks ?? [])).toEqual([]);
    expect(found[0]?.facts?.label).toBe('One Little Indian');
  });

  test('the number of tracks of a removed release is unknown if they were not read', () => {
    const [removed] = compare(state([release('r1', { tracks: undefined })]), state([]));
    expect(removed?.before).toMatchObject({ platformId: 'r1', trackCount: null });
  });

  test('a new release is reported without a separate change for each of its tracks', () => {
    const added = compare(state([]), state([release('r1', { tracks: [track('t1')] })]));
    expect(typesOf(added)).toEqual(['release_added']);
  });

  test('a removed release that returns is reported as restored', () => {
    const baseline = { ...state([]), removed: [{ platformId: 'r1' }] };
    expect(typesOf(compare(baseline, state([release('r1')])))).toEqual(['release_restored']);
  });

  test.each<[string, Partial<ReleaseState>, Partial<ReleaseState>]>([
    ['the same UPC', { upc: '724381061527' }, { upc: '724381061527' }],
    ['the same UPC with a leading zero', { upc: '724381061527' }, { upc: '0724381061527' }],
    [
      'the same ISRCs in a different order',
      { tracks: [track('t1', { isrc: 'GBAAA0100001' }), track('t2', { isrc: 'GBAAA0100002' })] },
      { tracks: [track('t8', { isrc: 'GB-AAA-01-00002' }), track('t9', { isrc: 'gbaaa0100001' })] },
    ],
  ])('one replacement is reported if the removed and the added release have %s', (_, before, after) => {
    const found = compare(state([release('r1', before)]), state([release('r9', after)]));
    expect(found).toMatchObject([
      { type: 'release_replaced', severity: 'warning', entityId: 'r1', after: { platformId: 'r9' } },
    ]);
  });

  test.each<[string, Partial<ReleaseState>, Partial<ReleaseState>]>([
    ['different UPCs', { upc: '724381061527' }, { upc: '5016958997038' }],
    ['no UPC', {}, {}],
    ['a UPC of zeros', { upc: '0000000000000' }, { upc: '0000000000000' }],
    ['no tracks', { tracks: [] }, { tracks: [] }],
    [
      'only some ISRCs in common',
      { tracks: [track('t1', { isrc: 'GBAAA0100001' }), track('t2', { isrc: 'GBAAA0100002' })] },
      { tracks: [track('t8', { isrc: 'GBAAA0100001' })] },
    ],
    [
      'an unknown ISRC',
      { tracks: [track('t1', { isrc: 'GBAAA0100001' }), track('t2')] },
      { tracks: [track('t8', { isrc: 'GBAAA0100001' }), track('t9')] },
    ],
  ])('two changes are reported if the removed and the added release have %s', (_, before, after) => {
    const found = compare(state([release('r1', before)]), state([release('r9', after)]));
    expect(typesOf(found)).toEqual(['release_added', 'release_removed']);
  });

  test.each<[string, Partial<ReleaseState>, Partial<ReleaseState>]>([
    ['release_title_changed', { title: 'Vespertine' }, { title: 'Vespertine (Deluxe)' }],
    ['release_title_changed', { title: 'Vespertine' }, { title: 'vespertine' }],
    ['release_date_changed', { releaseDate: '2001-08-27' }, { releaseDate: '2001-08-28' }],
    ['release_date_changed', { releaseDate: '2001' }, { releaseDate: '2002-01-01' }],
    ['artwork_changed', { artworkId: 'p1' }, { artworkId: 'p2' }],
    ['label_changed', { label: 'Elektra' }, { label: 'Polydor' }],
    ['upc_changed', { upc: '724381061527' }, { upc: '5016958997038' }],
  ])('the change %s is reported if %j becomes %j', (type, before, after) => {
    expect(onRelease(before, after)).toMatchObject([{ type, severity: 'warning', entityId: 'r1' }]);
  });

  test.each<[string, Partial<ReleaseState>, Partial<ReleaseState>]>([
    ['text in a different Unicode normalization form', { title: 'Début' }, { title: 'De\u0301but' }],
    ['different white space', { label: 'One Little Indian' }, { label: ' One\u00a0Little  Indian\n' }],
    ['a field that became unknown', { label: 'Elektra' }, { label: undefined }],
    ['a field that became empty', { label: 'Elektra' }, { label: ' ' }],
    ['a field that became known', { artworkId: undefined }, { artworkId: 'p1' }],
    ['a date that became more precise', { releaseDate: '2001' }, { releaseDate: '2001-08-27' }],
    ['a date that became less precise', { releaseDate: '2001-08-27' }, { releaseDate: '2001-08-00' }],
    ['a date that became unknown', { releaseDate: '2001-08-27' }, { releaseDate: '0000-00-00' }],
    ['a UPC with leading zeros', { upc: '724381061527' }, { upc: '0724381061527' }],
    ['a different kind of release', { type: 'album' }, { type: 'compilation' }],
    ['markets in a different order and case', { markets: ['DE', 'FR'] }, { markets: ['fr', 'DE', 'FR'] }],
    ['markets that became unknown', { markets: ['DE', 'FR'] }, { markets: undefined }],
    ['an empty list of markets', { markets: ['DE', 'FR'] }, { markets: [] }],
    ['tracks that were not read', { tracks: [track('t1')] }, { tracks: undefined }],
  ])('no change is reported for %s', (_, before, after) => {
    expect(onRelease(before, after)).toEqual([]);
    expect(onRelease(after, before)).toEqual([]);
  });
});

describe('market changes', () => {
  const ten = ['AT', 'BE', 'CH', 'DE', 'ES', 'FR', 'GB', 'IE', 'IS', 'IT'];

  test.each<[number, string]>([
    [1, 'warning'],
    [4, 'warning'],
    [5, 'critical'],
    [9, 'critical'],
  ])('a loss of %i of 10 markets has severity %s', (lost, severity) => {
    expect(onRelease({ markets: ten }, { markets: ten.slice(lost) })).toMatchObject([
      { type: 'availability_reduced', severity, rule: 'absence', before: ten, after: ten.slice(lost) },
    ]);
  });

  test('gained and lost markets are separate changes with different keys', () => {
    expect(onRelease({ markets: ['DE', 'FR', 'GB'] }, { markets: ['DE', 'FR', 'JP'] })).toMatchObject([
      { key: 'availability_expanded:r1:JP', severity: 'info', rule: 'repetition' },
      { key: 'availability_reduced:r1:GB', severity: 'warning', rule: 'absence' },
    ]);
  });

  test('the key of a market change is short even if there are many markets', () => {
    const many = Array.from({ length: 180 }, (_, n) => `M${n}`);
    const [reduced] = onRelease({ markets: ['DE', ...many] }, { markets: ['DE'] });
    expect(reduced?.key.length).toBeLessThan(120);
  });
});

describe('track comparison', () => {
  test.each<[string, string, Partial<TrackState>, Partial<TrackState>]>([
    ['track_title_changed', 'warning', { title: 'Cocoon' }, { title: 'Cocoon (Live)' }],
    ['isrc_changed', 'critical', { isrc: 'GBAAA0100001' }, { isrc: 'GBAAA0100002' }],
    ['explicit_flag_changed', 'warning', { explicit: false }, { explicit: true }],
    ['credits_changed', 'warning', { credits: CREDITS }, { credits: [{ platformId: 'a2', name: 'Arca' }] }],
    ['credits_changed', 'warning', { credits: CREDITS }, { credits: [...CREDITS, { platformId: 'a2', name: 'Arca' }] }],
    ['credits_changed', 'warning', { credits: CREDITS }, { credits: [{ platformId: undefined, name: 'Arca' }] }],
  ])('a track causes the change %s with severity %s if %j becomes %j', (type, severity, before, after) => {
    expect(onTracks([track('t1', before)], [track('t1', after)])).toMatchObject([
      { type, severity, entityType: 'track', entityId: 't1', releaseId: 'r1', releaseName: 'Title r1' },
    ]);
  });

  test.each<[string, Partial<TrackState>, Partial<TrackState>]>([
    ['an ISRC in a different notation', { isrc: 'GBAAA0100001' }, { isrc: 'gb-aaa-01-00001' }],
    ['a different position', { position: 1 }, { position: 2 }],
    ['a renamed artist in the credits', { credits: CREDITS }, { credits: [{ platformId: 'a1', name: 'björk!' }] }],
    [
      'an artist without an id in the credits',
      { credits: CREDITS },
      { credits: [{ platformId: undefined, name: 'Bjo\u0308rk' }] },
    ],
    ['credits that became empty', { credits: CREDITS }, { credits: [] }],
    ['a flag that became unknown', { explicit: true }, { explicit: undefined }],
  ])('two tracks are equal despite %s', (_, before, after) => {
    expect(onTracks([track('t1', before)], [track('t1', after)])).toEqual([]);
    expect(onTracks([track('t1', after)], [track('t1', before)])).toEqual([]);
  });

  test('missing tracks are reported as removed, and new tracks as added', () => {
    expect(onTracks([track('t1'), track('t2')], [track('t2'), track('t3')])).toMatchObject([
      { type: 'track_added', severity: 'info', entityId: 't3', key: 'track_added:r1/t3:' },
      { type: 'track_removed', severity: 'critical', rule: 'absence', entityId: 't1', key: 'track_removed:r1/t1:' },
    ]);
  });

  test.each<[string, Partial<TrackState>, Partial<TrackState>]>([
    ['the same ISRC', { isrc: 'GBAAA0100001', title: 'A' }, { isrc: 'GBAAA0100001', title: 'B' }],
    ['the same position and title', { position: 3, title: 'Cocoon' }, { position: 3, title: 'Cocoon ' }],
    [
      'the same position and title, even with a different ISRC',
      { position: 3, title: 'Cocoon', isrc: 'GBAAA0100001' },
      { position: 3, title: 'Cocoon', isrc: 'GBAAA0100002' },
    ],
  ])('two tracks with different ids are reported as one replacement if they have %s', (_, before, after) => {
    const found = onTracks([track('t1', before), track('t2')], [track('t2'), track('t9', after)]);
    expect(found).toMatchObject([
      { type: 'track_replaced', severity: 'warning', entityId: 't1', key: 'track_replaced:r1/t1:t9' },
    ]);
  });

  test('tracks without a position are not matched by title', () => {
    const found = onTracks([track('t1', { title: 'Cocoon' })], [track('t9', { title: 'Cocoon' })]);
    expect(typesOf(found)).toEqual(['track_added', 'track_removed']);
  });
});

describe('artist comparison', () => {
  test('a changed artist name is critical, and a changed artist picture is a warning', () => {
    const found = compare(state([]), state([], { name: 'Björk Guðmundsdóttir', imageId: 'face-2' }));
    expect(found).toMatchObject([
      { type: 'artist_image_changed', severity: 'warning', before: 'face-1', after: 'face-2' },
      { type: 'artist_name_changed', severity: 'critical', entityName: 'Björk', after: 'Björk Guðmundsdóttir' },
    ]);
  });

  test('a changed follower count alone is not a difference', () => {
    expect(compare(state([]), state([], { followers: 1_000_000 }))).toEqual([]);
  });

  test('an artist that no longer exists is reported as removed, and nothing else is reported', () => {
    const observation = { kind: 'artist_gone', observedAt: new Date(0) } as const;
    const baseline = state([release('r1')]);
    expect(compareObservation(baseline, observation)).toMatchObject([
      { type: 'artist_removed', severity: 'critical', rule: 'absence', key: 'artist_removed:a1:' },
    ]);
    expect(compareObservation({ ...baseline, artistGone: true }, observation)).toEqual([]);
  });

  test('an artist that returns after a confirmed removal is reported as restored', () => {
    expect(typesOf(compare({ ...state([]), artistGone: true }, state([])))).toEqual(['artist_restored']);
  });

  test('an incomplete observation is never compared', () => {
    const observation = {
      kind: 'incomplete',
      observedAt: new Date(0),
      cause: 'platform_error',
      reason: 'page 2 of 3 failed',
    } as const;
    expect(compareObservation(state([release('r1')]), observation)).toEqual([]);
  });
});

describe('for any catalogue,', () => {
  const seed = fc.integer();

  test('the generated catalogues cover every change type that a comparison can find', () => {
    const found = new Set<string>();
    const remembering = fc.record({ gone: fc.boolean(), removed: fc.subarray(['r1', 'r2', 'r3', 'r4', 'r5', 'r6']) });
    for (const [before, after, { gone, removed }] of fc.sample(fc.tuple(catalogue, catalogue, remembering), 3_000)) {
      const baseline = { ...before, artistGone: gone, removed: removed.map((platformId) => ({ platformId })) };
      for (const { type } of compare(baseline, after)) found.add(type);
    }
    const elsewhere = ['artist_removed', 'artist_merged', 'release_moved', 'followers_drop', 'followers_spike'];
    expect([...found, ...elsewhere].sort()).toEqual(Object.keys(CHANGE_TYPES).sort());
  });
  const MIRRORED: Readonly<Record<string, string>> = {
    release_added: 'release_removed',
    release_removed: 'release_added',
    track_added: 'track_removed',
    track_removed: 'track_added',
    availability_expanded: 'availability_reduced',
    availability_reduced: 'availability_expanded',
  };
  const mirrored = ({ type, before, after }: Difference) => JSON.stringify([MIRRORED[type] ?? type, after, before]);
  const straight = ({ type, before, after }: Difference) => JSON.stringify([type, before, after]);

  test('a copy in a different order or with unknown fields has no differences', () => {
    fc.assert(
      fc.property(catalogue, seed, (one, order) => {
        expect(compare(one, one)).toEqual([]);
        expect(compare(one, structuredClone(one))).toEqual([]);
        expect(compare(one, shuffled(one, order))).toEqual([]);
        expect(compare(one, blurred(one, order))).toEqual([]);
        expect(compare(blurred(one, order), one)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('the order of a list does not affect the comparison', () => {
    fc.assert(
      fc.property(catalogue, catalogue, seed, (before, after, order) => {
        const found = compare(before, after);
        expect(compare(shuffled(before, order), shuffled(after, order + 1)).map(({ key }) => key)).toEqual(
          found.map(({ key }) => key),
        );
      }),
      { numRuns: 500 },
    );
  });

  test('the reverse comparison mirrors the forward comparison', () => {
    fc.assert(
      fc.property(catalogue, catalogue, (before, after) => {
        const there = compare(before, after).map(mirrored).sort();
        const back = compare(after, before).map(straight).sort();
        expect(back).toEqual(there);
      }),
      { numRuns: 500 },
    );
  });

  test('unknown fields never cause a change, and never hide an added or removed id', () => {
    const MEMBERSHIP = /^(release|track)_(added|removed|replaced)$/;
    fc.assert(
      fc.property(catalogue, catalogue, seed, (before, after, which) => {
        const about = ({ type, releaseId, entityId }: Difference) => `${type} ${releaseId} ${entityId}`;
        const sharp = new Set(compare(before, after).map(about));
        const dim = compare(before, blurred(after, which));
        for (const found of dim.filter(({ type }) => !MEMBERSHIP.test(type))) expect(sharp).toContain(about(found));
        const releases = (found: readonly Difference[]) =>
          found.flatMap(({ type, before: was, after: is }) =>
            type.startsWith('release_') && MEMBERSHIP.test(type) ? [...idOf(was), ...idOf(is)] : [],
          );
        expect(new Set(releases(dim))).toEqual(new Set(releases(compare(before, after))));
      }),
      { numRuns: 500 },
    );
  });

  test('differences have unique keys and can be restored from JSON', () => {
    fc.assert(
      fc.property(catalogue, catalogue, (before, after) => {
        const found = compare(before, after);
        expect(new Set(found.map(({ key }) => key)).size).toBe(found.length);
        expect(JSON.parse(JSON.stringify(found))).toEqual(found);
      }),
      { numRuns: 300 },
    );
  });

  function idOf(value: unknown): string[] {
    return value === null ? [] : [(value as { platformId: string }).platformId];
  }
});
