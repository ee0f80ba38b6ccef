import { expect, test } from '@jest/globals';
import { distributorText } from './distributor-text.js';

const change = {
  ...{ id: 'chg_1', type: 'isrc_changed', entityId: '100001001', entityName: 'Bloom' },
  ...{ artistName: 'The Endless Engines', releaseName: 'Flowers', summary: 'The ISRC of “Bloom” changed.' },
  ...{ detectedAt: new Date('2026-11-26T19:07:00Z'), confirmedAt: new Date('2026-11-26T19:37:00Z') },
  entityType: 'track',
  before: { kind: 'text', value: 'USRC17607839' },
  after: { kind: 'text', value: 'USRC17607840' },
  observations: [{ kind: 'counted' }, { kind: 'counted' }],
} as const;

test('the letter about a changed ISRC names the old and the new one, and ends with the sender', () => {
  const text = distributorText([change], 'Deezer', [null], 'Fernlight Records');
  expect(text).toContain("We didn't request this change on Deezer:");
  expect(text).toContain('Old ISRC: USRC17607839\nNew ISRC: USRC17607840\nFirst noticed: 26 Nov 2026, 19:07 UTC\n');
  expect(text).toMatch(/Thank you\nFernlight Records$/);
});

test('the letter about a removal names when the release was first missing', () => {
  const removal = { ...change, type: 'release_removed', entityType: 'release', before: null, after: null } as const;
  const text = distributorText([removal], 'Deezer', [null], 'Fernlight Records');
  expect(text).toContain('First missing: 26 Nov 2026, 19:07 UTC');
  expect(text).toContain('Please reinstate it, and let us know why it was removed.');
});
