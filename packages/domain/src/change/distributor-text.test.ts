import { expect, test } from '@jest/globals';
import { distributorText } from './distributor-text.js';

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

test('the letter about a changed ISRC contains the old and the new ISRC, and ends with the sender', () => {
  const text = distributorText([change], 'Deezer', [null], 'Fernlight Records');
  expect(text).toContain("We didn't request this change on Deezer:");
  expect(text).toContain('Old ISRC: USRC17607839\nNew ISRC: USRC17607840\nFirst noticed: 26 Nov 2026, 19:07 UTC\n');
  expect(text).toMatch(/Please restore the old ISRC, and let us know what happened\.\n\nThank you\nFernlight Records$/);
});

test('the letter about a changed cover contains no picture ids', () => {
  const [before, after] = ['0123456789', '9876543210'].map((value) => ({ kind: 'picture', value }) as const);
  const cover = { ...change, type: 'artwork_changed', entityType: 'release', before, after } as never;
  expect(distributorText([cover], 'Deezer', [null], 'Fernlight Records')).not.toMatch(/0123456789|9876543210/);
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
  const text = distributorText(
    [tracks[0], release, tracks[1]] as never,
    'Deezer',
    ['a', 'b', 'c'],
    'Fernlight Records',
  );
  expect(text).toContain('Please reinstate “Flowers” by The Endless Engines (UPC 4059990017296) on Deezer');
  expect(text).toContain(
    'Tracks: 2\n- Bloom (ISRC USRC17607839)\n- Wilt (ISRC USRC17607840)\nDeezer ID: 51\nLink: b\n',
  );
  expect(text.match(/Reference: /g)).toHaveLength(1);
  expect(text).not.toContain('Not shown.');
});

test('the letter about a removal states when the release was first missing', () => {
  const removal = { ...change, type: 'release_removed', entityType: 'release', before: null, after: null } as const;
  const text = distributorText([removal], 'Deezer', [null], 'Fernlight Records');
  expect(text).toContain('First missing: 26 Nov 2026, 19:07 UTC');
  expect(text).toContain('Please reinstate it, and let us know why it was removed.');
});
