import { expect, test } from '@jest/globals';
import { changeEvents, type EventChange } from './change-events.js';

const at = (minutesAgo: number) => new Date(Date.UTC(2026, 2, 1, 12, -minutesAgo));
const release = (type: string, entityId: string, minutesAgo = 0, artistId = 'a'): EventChange => ({
  ...{ type, artistId, entityType: 'release', entityId, releaseId: null, confirmedAt: at(minutesAgo) },
});
const track = (type: string, entityId: string, releaseId: string | null, minutesAgo = 0): EventChange => ({
  ...{ type, artistId: 'a', entityType: 'track', entityId, releaseId, confirmedAt: at(minutesAgo) },
});
const events = (changes: readonly EventChange[]) =>
  changeEvents(changes).map(({ head, others }) => [head?.entityId, others.map(({ entityId }) => entityId)]);

test('a removed release and its removed tracks form one event, unless the changes are a month apart', () => {
  expect(
    events([
      track('track_removed', 't2', 'r1', 0),
      release('release_added', 'r9', 1),
      release('release_removed', 'r1', 2),
      track('track_removed', 't1', 'r1', 40),
      track('track_removed', 't1', 'r1', 43_200),
    ]),
  ).toEqual([
    ['r1', ['t2', 't1']],
    ['r9', []],
    ['t1', []],
  ]);
});

test('the same change to several tracks of one release, or to several releases, forms one event without a main change', () => {
  expect(
    events([
      track('credits_changed', 't1', 'r1'),
      release('label_changed', 'r1'),
      track('credits_changed', 't2', 'r1'),
      release('label_changed', 'r2'),
      track('credits_changed', 't3', 'r2'),
    ]),
  ).toEqual([
    [undefined, ['t1', 't2']],
    [undefined, ['r1', 'r2']],
    ['t3', []],
  ]);
});

test('removals of different releases, changes to different artists and opposite changes are separate events', () => {
  const changes = [
    release('release_removed', 'r1'),
    release('release_removed', 'r2'),
    release('release_restored', 'r1'),
    track('track_added', 't1', 'r1'),
    release('release_removed', 'r1', 0, 'b'),
  ];
  expect(events(changes)).toEqual(changes.map(({ entityId }) => [entityId, []]));
});

test('removed tracks of an unknown release belong to a removed release only if exactly one release was removed', () => {
  const tracks = [track('track_removed', 't1', null, 1), track('track_removed', 't2', null, 2)];
  expect(events([release('release_removed', 'r1'), ...tracks])).toEqual([['r1', ['t1', 't2']]]);
  expect(events([...tracks, release('release_removed', 'r1', 30), release('release_removed', 'r2', 40)])).toEqual([
    [undefined, ['t1', 't2']],
    ['r1', []],
    ['r2', []],
  ]);
});

test('four releases removed within an hour form one event with their tracks, but three releases do not', () => {
  const gone = ['r1', 'r2', 'r3', 'r4'].map((id, index) => release('release_removed', id, 2 * index));
  expect(events([...gone, track('track_removed', 't1', 'r2', 9)])).toEqual([
    [undefined, ['r1', 'r2', 't1', 'r3', 'r4']],
  ]);
  const slowly = ['r1', 'r2', 'r3', 'r4', 'r5'].map((id, index) => release('release_removed', id, 60 * index));
  expect(events(slowly)).toHaveLength(5);
  expect(events(gone.slice(1))).toEqual([
    ['r2', []],
    ['r3', []],
    ['r4', []],
  ]);
});

test('all fields changed in one check of a release form one event, which includes other releases with the same changed fields', () => {
  const fields = (entityId: string, minutesAgo: number, ...types: string[]) =>
    types.map((type) => release(type, entityId, minutesAgo));
  expect(
    events([
      ...fields('r1', 0, 'label_changed', 'upc_changed'),
      ...fields('r2', 5, 'upc_changed', 'label_changed'),
      ...fields('r3', 5, 'label_changed'),
      ...fields('r1', 30, 'release_date_changed'),
    ]),
  ).toEqual([
    [undefined, ['r1', 'r1', 'r2', 'r2']],
    ['r3', []],
    ['r1', []],
  ]);
});
