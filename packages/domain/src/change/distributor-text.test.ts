import { expect, test } from '@jest/globals';
import { concernsDistributor, distributorText } from './distributor-text.js';

const change = {
  ...{ id: 'chg_1', type: 'isrc_changed', entityId: '100001001', entityName: 'Bloom' },
  ...{
    artistName: 'The Endless Engines',
    releaseId: '51',
    releaseName: 'Flowers',
    summary: 'The ISRC of “Bloom” changed.',
  },
  ...{ detectedAt: new Date('2026-11-26T19:07:00Z'), confirmedAt: new Date('2026-11-26T19:37:00Z') },
  entityType: 'track',
  before: { kind: 'text', value: 'USRC17607839' },
  after: { kind: 'text', value: 'USRC17607840' },
  observations: [{ kind: 'counted' }, { kind: 'counted' }],
} as const;

const SENDER = { name: 'Fernlight Records', zone: 'Europe/Berlin' };
const FACTS = {
  ...{ label: 'Fernlight Records', upc: '4059990017296', releaseDate: '2025-09-12' },
  tracks: [{ title: 'Bloom', isrc: 'USRC17607839' }],
};

test('the letter about a changed ISRC contains the old and the new ISRC, and ends with the sender', () => {
  const text = distributorText([{ ...change, facts: FACTS }], 'Deezer', [null], SENDER);
  expect(text).toMatch(
    /^Subject: Please restore the old ISRC of “Bloom” by The Endless Engines \(UPC 4059990017296\) on Deezer\n/,
  );
  expect(text).toContain("We didn't request this change on Deezer:");
  expect(text).toContain('Release: Flowers\nLabel: Fernlight Records\nUPC: 4059990017296\nRelease date: 12 Sep 2025\n');
  expect(text).toContain('Old ISRC: USRC17607839\nNew ISRC: USRC17607840\nFirst noticed: 26 Nov 2026, 20:07 CET\n');
  expect(text).toMatch(
    /Please restore the old ISRC, and let us know what happened\.\n\nKind regards\nFernlight Records$/,
  );
});

test('the letter about a changed cover contains no picture ids', () => {
  const [before, after] = ['0123456789', '9876543210'].map((value) => ({ kind: 'picture', value }) as const);
  const cover = { ...change, type: 'artwork_changed', entityType: 'release', before, after } as never;
  const text = distributorText([cover], 'Deezer', [null], SENDER);
  expect(text).not.toMatch(/0123456789|9876543210/);
  expect(text).toContain('Please restore the old cover, and let us know what happened.');
});

test('the letter about a removed release lists all removed tracks with their ISRCs in one section', () => {
  const release = {
    ...{
      ...change,
      id: 'chg_2',
      type: 'release_removed',
      entityType: 'release',
      entityId: '51',
      entityName: 'Flowers',
    },
    ...{ releaseId: null, releaseName: null, summary: '“Flowers” was removed.', after: null },
    before: {
      kind: 'release',
      value: {
        platformId: '51',
        title: 'Flowers',
        type: 'album',
        releaseDate: null,
        upc: '4059990017296',
        trackCount: 2,
      },
    },
  } as const;
  const track = (title: string, isrc: string) =>
    ({
      ...{ ...change, type: 'track_removed', summary: 'Not shown.', entityName: title, after: null },
      before: { kind: 'track', value: { platformId: '1', title, isrc, position: null } },
    }) as const;
  const tracks = [track('Bloom', 'USRC17607839'), track('Wilt', 'USRC17607840')];
  const text = distributorText([tracks[0], release, tracks[1]] as never, 'Deezer', ['a', 'b', 'c'], SENDER);
  expect(text).toContain('Please reinstate “Flowers” by The Endless Engines (UPC 4059990017296) on Deezer');
  expect(text).toContain('Tracks: 2\n- Bloom (ISRC USRC17607839)\n- Wilt (ISRC USRC17607840)\nDeezer link: b\n');
  expect(text.match(/Reference: /g)).toHaveLength(1);
  expect(text).not.toContain('Not shown.');
});

test('the letter about a removal states when the release was first missing', () => {
  const removal = { ...change, type: 'release_removed', entityType: 'release', before: null, after: null } as const;
  const text = distributorText([removal], 'Deezer', [null], SENDER);
  expect(text).toContain('First missing: 26 Nov 2026, 20:07 CET');
  expect(text).toContain("This release is no longer available on Deezer, and we didn't request its removal:");
  expect(text).toContain('Please reinstate the release, and let us know why it was removed.');
});

test('the letter about a changed release lists its ISRCs, and names both fields if two have changed', () => {
  const field = {
    ...change,
    entityType: 'release',
    entityId: '51',
    entityName: 'Flowers',
    releaseId: null,
    facts: FACTS,
  };
  const label = { ...field, type: 'label_changed', id: 'chg_1' } as const;
  const upc = { ...field, type: 'upc_changed', id: 'chg_2' } as const;
  const text = distributorText([label, upc] as never, 'Deezer', [null, null], SENDER);
  expect(text).toContain(
    'Please restore the old label and UPC of “Flowers” by The Endless Engines (UPC 4059990017296)',
  );
  expect(text).toContain('\nISRC: USRC17607839\n');
  expect(text).toContain('Old label: USRC17607839\nNew label: USRC17607840\nOld UPC: USRC17607839\n');
  expect(text).toContain('References: chg_1, chg_2');
  expect(text.match(/“Flowers”/g)).toHaveLength(2);
});

test('the letter asks for the correction that fits the type of change', () => {
  const asked = (type: string, entityType: string, values: object = { before: null, after: null }) =>
    distributorText([{ ...change, releaseId: null, type, entityType, ...values }] as never, 'Deezer', [null], SENDER);
  expect(asked('artist_removed', 'artist')).toContain(
    'Please reinstate the artist page, and let us know why it was removed.',
  );
  expect(asked('artist_removed', 'artist')).toContain('Subject: Please reinstate The Endless Engines on Deezer');
  const markets = (...value: string[]) => ({ kind: 'markets', value });
  const reduced = asked('availability_reduced', 'release', {
    before: markets('AT', 'CH', 'DE', 'FR'),
    after: markets('DE'),
  });
  expect(reduced).toContain('Subject: Please make “Bloom” by The Endless Engines available again on Deezer');
  expect(reduced).toContain('Still available in: DE\nRemoved from 3 of 4 markets: AT, CH, FR\n');
  expect(reduced).toContain(
    'Please make the release available in these markets again, and let us know why it was removed from them.',
  );
  expect(asked('release_moved', 'release')).toContain(
    'Please move the release back to the page of The Endless Engines',
  );
  expect(asked('artist_merged', 'artist')).toContain('Please undo the merge');
});

test('a follower drop does not concern the distributor', () => {
  expect(concernsDistributor({ type: 'followers_drop', severity: 'warning' })).toBe(false);
  expect(concernsDistributor({ type: 'label_changed', severity: 'warning' })).toBe(true);
  expect(concernsDistributor({ type: 'release_added', severity: 'info' })).toBe(false);
});
