import type { Observation } from '@artist-watch/domain/catalogue';
import { expect, test } from '@jest/globals';
import { storableObservation } from './read-artist.js';

const observed = (name: string, title: string) =>
  ({
    kind: 'complete',
    observedAt: new Date(0),
    state: { artist: { platformId: '1', name }, releases: [{ platformId: '2', title, tracks: undefined }] },
  }) as unknown as Observation;

test('only characters that PostgreSQL cannot store are removed from text', () => {
  expect(storableObservation(observed('a\0b', 'c\ud800d'))).toEqual(observed('ab', 'cd'));
  const fine = observed('\\u0000 🎵', 'é\n');
  expect(storableObservation(fine)).toEqual(fine);
  const plain = observed('a', 'b');
  expect(storableObservation(plain)).toBe(plain);
});
