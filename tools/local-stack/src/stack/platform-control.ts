export interface PlatformArtist {
  readonly id: string;
  readonly name: string;
}

export interface PlatformRelease {
  readonly id: string;
  readonly title: string;
  readonly removed: boolean;
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
}

const fewestReleases = 6;

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
    async removeRelease(releaseId) {
      await ask('POST', `/releases/${encodeURIComponent(releaseId)}/remove`);
    },
  };
}
