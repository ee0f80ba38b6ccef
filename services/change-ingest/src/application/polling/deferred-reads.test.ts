import type { ArtistId } from '@artist-watch/domain/ids';
import { expect, test } from '@jest/globals';
import { DeferredReads, type TurnDepth } from './deferred-reads.js';

const artist = 'art_1' as ArtistId;
const turns = new Map<string, TurnDepth>([
  ['r1', 'deep'],
  ['r2', 'full'],
  ['r3', 'deep'],
]);

const ids = [...turns.keys()];
const failed = { turns, asked: ids, read: [] };

test('a turn is deferred until it was read, as closely as it came up', () => {
  const deferred = new DeferredReads();
  expect(deferred.has(artist)).toBe(false);
  deferred.settle(artist, failed);
  expect(deferred.of(artist)).toEqual(turns);
  deferred.settle(artist, { turns: deferred.of(artist), asked: ids, read: ['r1'] });
  expect([...deferred.of(artist)]).toEqual([
    ['r2', 'full'],
    ['r3', 'deep'],
  ]);
  deferred.settle(artist, { turns: deferred.of(artist), asked: ids, read: ['r3', 'r2', 'r9'] });
  expect(deferred.has(artist)).toBe(false);
  expect(deferred.of(artist).size).toBe(0);
});

test('a release that is asked for in vain over and over is given up, until a turn of its own finds it well', () => {
  const deferred = new DeferredReads();
  for (let times = 1; times <= 9; times += 1) deferred.settle(artist, { ...failed, turns: new Map([['r1', 'deep']]) });
  expect([deferred.has(artist), [...deferred.givenUp(artist)]]).toEqual([true, []]);
  deferred.settle(artist, { ...failed, turns: deferred.of(artist) });
  expect([deferred.has(artist), [...deferred.givenUp(artist)]]).toEqual([false, ['r1']]);
  // Other turns come and go.
  deferred.settle(artist, { turns, asked: ['r2', 'r3'], read: ['r2', 'r3'] });
  expect([deferred.has(artist), [...deferred.givenUp(artist)]]).toEqual([false, ['r1']]);
  deferred.settle(artist, { turns, asked: ids, read: ids });
  expect([deferred.has(artist), [...deferred.givenUp(artist)]]).toEqual([false, []]);
});

test('a turn that the limit cuts is never given up', () => {
  const deferred = new DeferredReads();
  for (let times = 1; times <= 100; times += 1) deferred.settle(artist, { turns, asked: ['r1'], read: ['r1'] });
  expect([...deferred.of(artist).keys()]).toEqual(['r2', 'r3']);
});

test('turns are forgotten beyond so many artists, the oldest first', () => {
  const deferred = new DeferredReads(2);
  for (const id of ['art_1', 'art_2', 'art_1', 'art_3']) deferred.settle(id as ArtistId, failed);
  expect(['art_1', 'art_2', 'art_3'].map((id) => deferred.has(id as ArtistId))).toEqual([true, false, true]);
});

test('what is deferred of one artist says nothing of another', () => {
  const deferred = new DeferredReads();
  deferred.settle(artist, failed);
  expect(deferred.of('art_2' as ArtistId).size).toBe(0);
});
