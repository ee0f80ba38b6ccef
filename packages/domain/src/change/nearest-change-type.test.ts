import { expect, test } from '@jest/globals';
import { CHANGE_TYPES, isDetectedChangeType, nearestChangeType } from './change-types.js';

test.each([
  ['release_remove', 'release_removed'],
  ['ReleaseRemoved', 'release_removed'],
  ['artwork_change', 'artwork_changed'],
  ['follower_spike', 'followers_spike'],
])('the known type nearest to %j is %s', (text, nearest) => {
  expect(isDetectedChangeType(text)).toBe(false);
  expect(nearestChangeType(text)).toBe(nearest);
});

test('a known type is nearest to itself', () => {
  for (const type of Object.keys(CHANGE_TYPES)) expect(nearestChangeType(type)).toBe(type);
});

test.each(['constructor', '__proto__', 'toString'])('%s is not a change type', (text) => {
  expect(isDetectedChangeType(text)).toBe(false);
});
