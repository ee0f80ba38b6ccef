import type { ArtistId } from '@artist-watch/domain/ids';
import { expect, test } from '@jest/globals';
import { DeferredReads, type DueDepth } from './deferred-reads.js';

const artist = 'art_1' as ArtistId;
const due = new Map<string, DueDepth>([
  ['r1', 'deep'],
  ['r2', 'full'],
  ['r3', 'deep'],
]);

const ids = [...due.keys()];
const failed = { due, requested: ids, read: [] };

test('a due release stays deferred, with the same depth, until it is read', () => {
  const deferred = new DeferredReads();
  expect(deferred.of(artist).due.size > 0).toBe(false);
  deferred.settle(artist, failed);
  expect(deferred.of(artist).due).toEqual(due);
  deferred.settle(artist, { due: deferred.of(artist).due, requested: ids, read: ['r1'] });
  expect([...deferred.of(artist).due]).toEqual([
    ['r2', 'full'],
    ['r3', 'deep'],
  ]);
  deferred.settle(artist, { due: deferred.of(artist).due, requested: ids, read: ['r3', 'r2', 'r9'] });
  expect(deferred.of(artist).due.size > 0).toBe(false);
  expect(deferred.of(artist).due.size).toBe(0);
});

test('a release is not deferred again after ten failed polls, until a later poll has read it', () => {
  const deferred = new DeferredReads();
  for (let times = 1; times <= 9; times += 1) deferred.settle(artist, { ...failed, due: new Map([['r1', 'deep']]) });
  expect([deferred.of(artist).due.size > 0, [...deferred.of(artist).givenUp]]).toEqual([true, []]);
  deferred.settle(artist, { ...failed, due: deferred.of(artist).due });
  expect([deferred.of(artist).due.size > 0, [...deferred.of(artist).givenUp]]).toEqual([false, ['r1']]);
  deferred.settle(artist, { due, requested: ['r2', 'r3'], read: ['r2', 'r3'] });
  expect([deferred.of(artist).due.size > 0, [...deferred.of(artist).givenUp]]).toEqual([false, ['r1']]);
  deferred.settle(artist, { due, requested: ids, read: ids });
  expect([deferred.of(artist).due.size > 0, [...deferred.of(artist).givenUp]]).toEqual([false, []]);
});

test('a release stays deferred if the limit of a poll excludes it', () => {
  const deferred = new DeferredReads();
  for (let times = 1; times <= 100; times += 1) deferred.settle(artist, { due, requested: ['r1'], read: ['r1'] });
  expect([...deferred.of(artist).due.keys()]).toEqual(['r2', 'r3']);
});

test('if too many artists have deferred releases, the least recently polled artist is dropped', () => {
  const deferred = new DeferredReads(2);
  for (const id of ['art_1', 'art_2', 'art_1', 'art_3']) deferred.settle(id as ArtistId, failed);
  expect(['art_1', 'art_2', 'art_3'].map((id) => deferred.of(id as ArtistId).due.size > 0)).toEqual([
    true,
    false,
    true,
  ]);
});

test('deferred releases are kept separately for each artist', () => {
  const deferred = new DeferredReads();
  deferred.settle(artist, failed);
  expect(deferred.of('art_2' as ArtistId).due.size).toBe(0);
});
