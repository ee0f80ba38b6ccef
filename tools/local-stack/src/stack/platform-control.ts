export interface PlatformArtist {
  readonly id: string;
  readonly name: string;
}

export interface PlatformRelease {
  readonly id: string;
  readonly title: string;
  readonly removed: boolean;
}

export interface PlatformControl {
  /**
   * Returns artists with few enough releases that frequent polling stays within the request quota, but enough releases
   * that removing one does not trip the brake.
   */
  artistsToWatch(count: number): Promise<readonly PlatformArtist[]>;
  /** Includes removed releases. */
  listReleases(artistId: string): Promise<readonly PlatformRelease[]>;
  removeRelease(releaseId: string): Promise<void>;
}

const minReleases = 6;

export function platformControl(controlUrl: string): PlatformControl {
  async function send<Answer>(method: 'GET' | 'POST', path: string): Promise<Answer> {
    const response = await fetch(`${controlUrl}${path}`, { method });
    if (!response.ok)
      throw new Error(`${method} ${path} of the simulator: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }
  return {
    async artistsToWatch(count) {
      const { artists } = await send<{ artists: Array<PlatformArtist & { releases: PlatformRelease[] }> }>(
        'GET',
        '/state',
      );
      return artists
        .filter(({ releases }) => releases.filter((release) => !release.removed).length >= minReleases)
        .sort((one, other) => one.releases.length - other.releases.length)
        .slice(0, count)
        .map(({ id, name }) => ({ id, name }));
    },
    async listReleases(artistId) {
      const { artists } = await send<{ artists: Array<{ releases: PlatformRelease[] }> }>(
        'GET',
        `/state?artist=${encodeURIComponent(artistId)}`,
      );
      return artists.flatMap((artist) => artist.releases);
    },
    async removeRelease(releaseId) {
      await send('POST', `/releases/${encodeURIComponent(releaseId)}/remove`);
    },
  };
}
