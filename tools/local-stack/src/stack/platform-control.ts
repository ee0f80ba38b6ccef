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
  artists(): Promise<readonly PlatformArtist[]>;
  /** Removed ones too. */
  releasesOf(artistId: string): Promise<readonly PlatformRelease[]>;
  removeRelease(releaseId: string): Promise<void>;
}

export function platformControl(controlUrl: string): PlatformControl {
  async function ask<Answer>(method: 'GET' | 'POST', path: string): Promise<Answer> {
    const response = await fetch(`${controlUrl}${path}`, { method });
    if (!response.ok)
      throw new Error(`${method} ${path} of the simulator: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }
  return {
    async artists() {
      return (await ask<{ artists: PlatformArtist[] }>('GET', '/artists')).artists;
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
