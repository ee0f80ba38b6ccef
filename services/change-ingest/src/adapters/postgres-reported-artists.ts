import type { Platform } from '@artist-watch/domain/catalogue';
import type { Database } from '@artist-watch/persistence/database/database';
import { inRetriedTransaction } from '@artist-watch/persistence/database/database-trouble';
import { knownArtists } from '@artist-watch/persistence/ingest/known-artists';
import type { ReportedArtists } from '../application/ingest/accept-snapshot.js';

export function createPostgresReportedArtists({ pool }: Database, platform: Platform): ReportedArtists {
  return {
    async idOf(artist, now) {
      const ids = await inRetriedTransaction(pool, (client) => knownArtists(client, platform, [artist], now));
      const id = ids.get(artist.platformId);
      if (id === undefined) throw new Error(`The artist ${artist.platformId} was not recorded.`);
      return id;
    },
  };
}
