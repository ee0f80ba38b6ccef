import type { ArtistId } from '@artist-watch/domain/ids';
import { expect, test } from '@jest/globals';
import { OwedReadings, type TurnDepth } from './owed-readings.js';

const artist = 'art_1' as ArtistId;
const turns = new Map<string, TurnDepth>([
  ['r1', 'deep'],
  ['r2', 'full'],
  ['r3', 'deep'],
]);

const ids = [...turns.keys()];
const failed = { turns, asked: ids, read: [] };

test('a turn is owed until it was read, as closely as it came up', () => {
  const owed = new OwedReadings();
  expect(owed.has(artist)).toBe(false);
  owed.settle(artist, failed);
  expect(owed.of(artist)).toEqual(turns);
  owed.settle(artist, { turns: owed.of(artist), asked: ids, read: ['r1'] });
  expect([...owed.of(artist)]).toEqual([
    ['r2', 'full'],
    ['r3', 'deep'],
  ]);
  owed.settle(artist, { turns: owed.of(artist), asked: ids, read: ['r3', 'r2', 'r9'] });
  expect(owed.has(artist)).toBe(false);
  expect(owed.of(artist).size).toBe(0);
});

test('a release that is asked for in vain over and over is given up, until a turn of its own finds it well', () => {
  const owed = new OwedReadings();
  for (let times = 1; times <= 9; times += 1) owed.settle(artist, { ...failed, turns: new Map([['r1', 'deep']]) });
  expect([owed.has(artist), [...owed.givenUp(artist)]]).toEqual([true, []]);
  owed.settle(artist, { ...failed, turns: owed.of(artist) });
  expect([owed.has(artist), [...owed.givenUp(artist)]]).toEqual([false, ['r1']]);
  // Other turns come and go.
  owed.settle(artist, { turns, asked: ['r2', 'r3'], read: ['r2', 'r3'] });
  expect([owed.has(artist), [...owed.givenUp(artist)]]).toEqual([false, ['r1']]);
  owed.settle(artist, { turns, asked: ids, read: ids });
  expect([owed.has(artist), [...owed.givenUp(artist)]]).toEqual([false, []]);
});

test('a turn that the limit cuts is never given up', () => {
  const owed = new OwedReadings();
  for (let times = 1; times <= 100; times += 1) owed.settle(artist, { turns, asked: ['r1'], read: ['r1'] });
  expect([...owed.of(artist).keys()]).toEqual(['r2', 'r3']);
});

test('turns are forgotten beyond so many artists, the oldest first', () => {
  const owed = new OwedReadings(2);
  for (const id of ['art_1', 'art_2', 'art_1', 'art_3']) owed.settle(id as ArtistId, failed);
  expect(['art_1', 'art_2', 'art_3'].map((id) => owed.has(id as ArtistId))).toEqual([true, false, true]);
});

test('what is owed of one artist says nothing of another', () => {
  const owed = new OwedReadings();
  owed.settle(artist, failed);
  expect(owed.of('art_2' as ArtistId).size).toBe(0);
});
