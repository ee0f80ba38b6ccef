import type { ReleaseState } from '@artist-watch/domain/catalogue';
import { makeDifference } from '@artist-watch/domain/change/difference';
import { firstBaseline } from '@artist-watch/domain/detection/baseline';
import type { Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { ArtistId } from '@artist-watch/domain/ids';
import type { ArtistDetection } from '@artist-watch/persistence/polling/artist-rows';
import type { DueArtist } from '@artist-watch/persistence/polling/due-artists';
import { describe, expect, test } from '@jest/globals';
import type { DueDepth, DueReleases } from './deferred-reads.js';
import { needsCatalogue, planPoll, rotationOfHours } from './poll-plan.js';

const HOUR_MS = 3_600_000;
const rotations = { deep: rotationOfHours(24, 1), full: rotationOfHours(7 * 24, 1) };
const start = new Date('2026-03-01T12:00:00.000Z');
const after = (hours: number) => new Date(start.getTime() + hours * HOUR_MS);

const due: DueArtist = {
  id: 'art_1' as ArtistId,
  platformId: '27',
  lastCompleteAt: start,
  digest: Buffer.from('x'),
  hasSuspicions: false,
};

const plan = (
  artist: DueArtist,
  known: ArtistDetection | null,
  limit: number,
  now: Date,
  deferred: DueReleases = new Map<string, DueDepth>(),
) => planPoll(artist, known, rotations, { limit, deferred, givenUp: new Set(), listsMarkets: false }, now).depth;

const releaseIds = Array.from({ length: 60 }, (_, n) => `r${n}`);

function detection(
  suspicions: readonly Suspicion[] = [],
  known: 'all' | 'lists' = 'all',
  ids = releaseIds,
): ArtistDetection {
  const artist = { platformId: '27', name: 'N', imageId: 'i', followers: 1, monthlyListeners: undefined };
  const releases = ids.map(
    (platformId) =>
      ({ platformId, title: platformId, tracks: known === 'all' ? [] : undefined }) as unknown as ReleaseState,
  );
  const baseline = firstBaseline({ artist, releases });
  return { baseline, suspicions, suspicionIds: new Map(), ignored: [], followersHistory: [] };
}

function suspected(type: 'label_changed' | 'availability_reduced' | 'release_removed', entityId: string): Suspicion {
  const difference = makeDifference({ type, entityId, entityName: 'R', became: 'x' });
  const paths = { listMissing: true, directRead: 'gone' } as const;
  const seen = { observedAt: start, paths, seen: null, snapshotId: null };
  return { key: difference.key, difference, observations: [seen], held: false, notes: [] };
}

describe('the plan of a poll', () => {
  test('a poll reads only the list and needs no stored catalogue if no details are due', () => {
    const minutes = after(0.05);
    expect(needsCatalogue(due, rotations, minutes)).toBe(false);
    expect(plan(due, detection(), 50, minutes)).toBe('shallow');
    expect(plan({ ...due, lastCompleteAt: null }, null, 50, after(9))).toBe('shallow');
  });

  test('a poll reads releases with suspected changes first, at the depth that their confirmation needs', () => {
    const suspicions = [
      suspected('label_changed', 'r7'),
      suspected('availability_reduced', 'r9'),
      suspected('release_removed', 'r11'),
    ];
    const suspicious = { ...due, hasSuspicions: true };
    expect(needsCatalogue(suspicious, rotations, after(0.05))).toBe(true);
    // The limit may leave out releases that are due by rotation, but never releases with suspected changes.
    for (const hours of [0.05, 30, 300]) {
      expect(plan(suspicious, detection(suspicions, 'lists'), 2, after(hours))).toEqual({
        deepReleaseIds: ['r7'],
        fullReleaseIds: ['r9'],
      });
    }
  });

  test('polls every 15 minutes read each release once a day and its tracks once a week', () => {
    const few = detection([], 'all', releaseIds.slice(0, 12));
    const times = new Map(few.baseline?.releases.map(({ platformId }) => [platformId, { deep: 0, full: 0 }]));
    let shallow = 0;
    const readings = 7 * 24 * 4;
    for (let n = 1; n <= readings; n += 1) {
      const read = { ...due, lastCompleteAt: after((n - 1) / 4) };
      const depth = plan(read, few, 50, after(n / 4));
      if (depth === 'shallow') {
        shallow += 1;
        continue;
      }
      expect(needsCatalogue(read, rotations, after(n / 4))).toBe(true);
      for (const id of depth.deepReleaseIds) (times.get(id) ?? { deep: 0 }).deep += 1;
      for (const id of depth.fullReleaseIds) (times.get(id) ?? { full: 0 }).full += 1;
    }
    expect(times.size).toBe(12);
    for (const { deep, full } of times.values()) {
      expect(full).toBe(1);
      expect([6, 7]).toContain(deep);
    }
    expect(shallow).toBeGreaterThan(readings / 2);
  });

  test('a poll reads deferred releases again at the same depth and drops removed releases', () => {
    const deferred = new Map<string, DueDepth>([
      ['r3', 'deep'],
      ['r4', 'full'],
      ['gone', 'deep'],
    ]);
    const depth = plan(due, detection(), 50, after(0.05), deferred);
    expect(depth).toEqual({ deepReleaseIds: ['r3'], fullReleaseIds: ['r4'] });
    const { dueReleases } = planPoll(
      due,
      detection(),
      rotations,
      { limit: 1, deferred, givenUp: new Set(), listsMarkets: false },
      after(0.05),
    );
    expect([...dueReleases.keys()].sort()).toEqual(['r3', 'r4']);
  });

  test('a poll reads all releases of a new artist, up to the limit per poll', () => {
    const never = { ...due, digest: Buffer.alloc(0) };
    expect(needsCatalogue(never, rotations, after(0.01))).toBe(true);
    const depth = plan(never, detection([], 'lists'), 50, after(0.01));
    if (depth === 'shallow') throw new Error("The plan reads no release's details.");
    expect(depth.deepReleaseIds).toHaveLength(50);
    const seen = new Set<string>();
    for (let n = 1; n <= 40; n += 1) {
      const next = plan(never, detection([], 'lists'), 10, after(0.01 * n));
      if (next !== 'shallow') for (const id of [...next.deepReleaseIds, ...next.fullReleaseIds]) seen.add(id);
    }
    expect(seen.size).toBe(releaseIds.length);
  });

  test('unread releases beyond the limit count as due, unless too many polls failed to read them', () => {
    const unread = detection([], 'lists', ['r1', 'r2', 'r3']);
    const options = { limit: 1, deferred: new Map<string, DueDepth>(), givenUp: new Set(['r2']), listsMarkets: false };
    const { depth, dueReleases } = planPoll(due, unread, rotations, options, after(0.05));
    expect([...dueReleases]).toEqual([
      ['r1', 'deep'],
      ['r3', 'deep'],
    ]);
    expect(depth === 'shallow' ? [] : depth.deepReleaseIds).toHaveLength(1);
    const hopeless = { ...options, givenUp: new Set(['r1', 'r2', 'r3']) };
    expect(planPoll(due, unread, rotations, hopeless, after(0.05))).toEqual({
      depth: 'shallow',
      dueReleases: new Map(),
    });
  });
});
