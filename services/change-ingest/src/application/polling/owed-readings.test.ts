import type { ArtistId } from '@artist-watch/domain/ids';
import { expect, test } from '@jest/globals';
import { OwedReadings, type TurnDepth } from './owed-readings.js';

const artist = 'art_1' as ArtistId;
const turns = new Map<string, TurnDepth>([
  ['r1', 'deep'],
  ['r2', 'full'],
  ['r3', 'deep'],
]);

test('a turn is owed until it was read, as closely as it came up', () => {
  const owed = new OwedReadings();
  expect(owed.has(artist)).toBe(false);
  owed.settle(artist, turns, []);
  expect(owed.of(artist)).toEqual(turns);
  owed.settle(artist, owed.of(artist), ['r1']);
  expect([...owed.of(artist)]).toEqual([
    ['r2', 'full'],
    ['r3', 'deep'],
  ]);
  owed.settle(artist, owed.of(artist), ['r3', 'r2', 'r9']);
  expect(owed.has(artist)).toBe(false);
  expect(owed.of(artist).size).toBe(0);
});

test('a turn that is missed over and over is left for the wheel to bring up again', () => {
  const owed = new OwedReadings();
  owed.settle(artist, turns, []);
  let times = 1;
  for (; owed.has(artist); times += 1) owed.settle(artist, owed.of(artist), []);
  expect(times).toBe(10);
  owed.settle(artist, turns, []);
  expect(owed.of(artist)).toEqual(turns);
});

test('turns are forgotten beyond so many artists, the oldest first', () => {
  const owed = new OwedReadings(2);
  for (const id of ['art_1', 'art_2', 'art_1', 'art_3']) owed.settle(id as ArtistId, turns, []);
  expect(['art_1', 'art_2', 'art_3'].map((id) => owed.has(id as ArtistId))).toEqual([true, false, true]);
});

test('what is owed of one artist says nothing of another', () => {
  const owed = new OwedReadings();
  owed.settle(artist, turns, []);
  expect(owed.of('art_2' as ArtistId).size).toBe(0);
});
