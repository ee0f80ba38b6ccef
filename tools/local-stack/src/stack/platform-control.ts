import { StartError } from '@artist-watch/runtime/settings/start-failure';
import type { ChosenScenario } from './scenario.js';

export interface PlatformArtist {
  readonly id: string;
  readonly name: string;
}

export interface PlatformRelease {
  readonly id: string;
  readonly title: string;
  readonly removed: boolean;
}

/** A scenario that has begun. */
export interface Performance {
  readonly name: string;
  /** The artists that it is about. */
  readonly artists: readonly PlatformArtist[];
}

/** The part of the simulator's control server that a stack and its demo use. */
export interface PlatformControl {
  /**
   * Artists to show something with: enough releases that a removed one is no mass removal, which would rightly be held
   * back, and few enough that they are read again and again within the platform's request quota.
   */
  artistsToWatch(count: number): Promise<readonly PlatformArtist[]>;
  /** Removed ones too. */
  releasesOf(artistId: string): Promise<readonly PlatformRelease[]>;
  removeRelease(releaseId: string): Promise<void>;
  /** @throws StartError with what is wrong with the scenario. */
  play(scenario: ChosenScenario): Promise<Performance>;
}

const fewestReleases = 6;

type ScenarioAnswer =
  | {
      readonly name: string;
      readonly cast: ReadonlyArray<{ readonly name: string; readonly id: string }>;
      readonly watched: readonly string[];
    }
  | { readonly error: { readonly message: string } };

export function platformControl(controlUrl: string): PlatformControl {
  async function ask<Answer>(method: 'GET' | 'POST', path: string): Promise<Answer> {
    const response = await fetch(`${controlUrl}${path}`, { method });
    if (!response.ok)
      throw new Error(`${method} ${path} of the simulator: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }
  return {
    async artistsToWatch(count) {
      const { artists } = await ask<{ artists: Array<PlatformArtist & { releases: PlatformRelease[] }> }>(
        'GET',
        '/state',
      );
      return artists
        .filter(({ releases }) => releases.filter((release) => !release.removed).length >= fewestReleases)
        .sort((one, other) => one.releases.length - other.releases.length)
        .slice(0, count)
        .map(({ id, name }) => ({ id, name }));
    },
    async releasesOf(artistId) {
      const { artists } = await ask<{ artists: Array<{ releases: PlatformRelease[] }> }>(
        'GET',
        `/state?artist=${encodeURIComponent(artistId)}`,
      );
      return artists.flatMap((artist) => artist.releases);
    },
    async play({ source, speed }) {
      const response = await fetch(`${controlUrl}/scenario?speed=${speed}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/yaml' },
        body: source,
      });
      const answer = (await response.json()) as ScenarioAnswer;
      if ('error' in answer) throw new StartError(`The scenario cannot be played:\n${answer.error.message}`);
      const { artists } = await ask<{ artists: PlatformArtist[] }>('GET', '/artists');
      const watched = new Set(answer.cast.filter(({ name }) => answer.watched.includes(name)).map(({ id }) => id));
      return { name: answer.name, artists: artists.filter(({ id }) => watched.has(id)) };
    },
    async removeRelease(releaseId) {
      await ask('POST', `/releases/${encodeURIComponent(releaseId)}/remove`);
    },
  };
}
