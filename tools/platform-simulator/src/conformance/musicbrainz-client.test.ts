import { InProcessBudget } from '@artist-watch/catalogue/budget/in-process-budget';
import { MusicBrainzClient } from '@artist-watch/catalogue/musicbrainz/musicbrainz-client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { QuirksInput } from '../quirks/quirks.js';
import { type PlatformSimulator, startPlatformSimulator } from '../server.js';
import type { SimulatedTrack } from '../world/entities.js';

const signal = new AbortController().signal;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the MusicBrainz client', () => {
  let simulator: PlatformSimulator;
  let client: MusicBrainzClient;

  beforeAll(async () => {
    simulator = await startPlatformSimulator({
      platform: 'deezer',
      seed: 'conformance',
      artists: 3,
      budget: 'unlimited',
    });
    client = new MusicBrainzClient({
      baseUrl: simulator.url,
      userAgent: 'artist-watch-test/1 (nobody@example.com)',
      clock: { now: () => new Date() },
      budget: new InProcessBudget({ limit: 1_000, windowMs: 100, burst: 500 }),
      retryDelaysMs: [0],
      requestTimeoutMs: 1_000,
    });
  });
  afterEach(() => {
    simulator.setQuirks({});
    simulator.setQuota('unlimited');
  });
  afterAll(async () => {
    client.close();
    await simulator.stop();
  });

  const tracks = () => {
    const releases = simulator.state.artists().flatMap((artist) => simulator.state.releasesOf(artist.id));
    return releases.flatMap((release) => simulator.state.tracksOf(release.id));
  };
  const aTrack = () => tracks()[0] as SimulatedTrack;
  const find = (isrc: string) => client.findTracksByIsrc(isrc, { signal });

  test('a recording is found by its ISRC, with its credits and the first of its releases', async () => {
    const shared = tracks().find((track) => simulator.state.tracksByIsrc(track.isrc).length > 1) as SimulatedTrack;
    const releases = simulator.state
      .tracksByIsrc(shared.isrc)
      .map((track) => simulator.state.known('release', track.releaseId))
      .sort((a, b) => (a.releaseDate < b.releaseDate ? -1 : 1));
    const recording = simulator.state.tracksByIsrc(shared.isrc)[0] as SimulatedTrack;
    expect(await find(shared.isrc)).toEqual({
      kind: 'found',
      tracks: [
        {
          platformId: expect.stringMatching(UUID),
          name: recording.title,
          url: expect.stringMatching(/^https:\/\/musicbrainz\.org\/recording\//),
          isrc: shared.isrc,
          durationMs: recording.durationMs,
          explicit: undefined,
          artists: recording.artistIds.map((id) => ({
            platformId: expect.stringMatching(UUID),
            name: simulator.state.known('artist', id).name,
          })),
          release: {
            platformId: expect.stringMatching(UUID),
            name: releases[0]?.title,
            type: releases[0]?.type,
            releaseDate: releases[0]?.releaseDate,
            upc: releases[0]?.upc,
            label: undefined,
          },
        },
      ],
    });
  });

  test('an unknown code is not found', async () => {
    expect(await find('ZZZZZ0000000')).toEqual({ kind: 'not_found' });
  });

  test.each<[QuirksInput, string]>([
    [{ quotaError: 1 }, 'unavailable'],
    [{ busyError: 1 }, 'unavailable'],
    [{ serverError: { probability: 1, status: 502 } }, 'unavailable'],
    [{ serverError: { probability: 1, status: 404 } }, 'bad_answer'],
    [{ tooManyRequests: 1 }, 'quota'],
    [{ cutConnection: 1 }, 'unavailable'],
    [{ cutBody: 1 }, 'unavailable'],
    [{ notJson: 1 }, 'bad_answer'],
  ])('%j is an error of its kind, never an unknown code', async (quirks, kind) => {
    simulator.setQuirks(quirks);
    // A client of its own: a penalty is for all that comes after it.
    const own = new MusicBrainzClient({
      baseUrl: simulator.url,
      userAgent: 'artist-watch-test/1 (nobody@example.com)',
      clock: { now: () => new Date() },
      budget: new InProcessBudget({ limit: 1_000, windowMs: 100, burst: 500 }),
      retryDelaysMs: [],
    });
    await expect(own.findTracksByIsrc(aTrack().isrc, { signal })).rejects.toMatchObject({
      name: 'PlatformError',
      failure: { kind },
    });
    own.close();
  });

  test('fields that vanish are unknown, and an answer without its own is refused', async () => {
    simulator.setQuirks({ vanishingFields: { probability: 1, keep: ['isrc', 'recordings', 'id', 'title'] } });
    for (const track of tracks().slice(0, 20)) {
      expect(await find(track.isrc)).toMatchObject({ kind: 'found', tracks: [{ isrc: track.isrc }] });
    }
    simulator.setQuirks({ vanishingFields: { probability: 1 } });
    const outcomes = await Promise.allSettled(
      tracks()
        .slice(0, 20)
        .map((track) => find(track.isrc)),
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ failure: { kind: 'bad_answer' } });
      else expect(outcome.value).toHaveProperty('kind', 'found');
    }
    expect(new Set(outcomes.map((outcome) => outcome.status))).toContain('rejected');
  });
});
