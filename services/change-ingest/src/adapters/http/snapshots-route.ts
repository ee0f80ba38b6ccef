import { ApiError } from '@artist-watch/contracts/api/api-error';
import { parseSnapshot, type ReportedSnapshot, type SnapshotAnswer } from '@artist-watch/contracts/ingest/snapshot';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { Clock } from '@artist-watch/runtime/clock';
import type { IngestRoute } from './ingest-listener.js';

/** `POST /ingest/v1/snapshots` */
export function snapshotsRoute(
  platform: Platform,
  clock: Clock,
  acceptSnapshot: (snapshot: ReportedSnapshot, now: Date) => Promise<SnapshotAnswer>,
): IngestRoute {
  return {
    path: '/ingest/v1/snapshots',
    accept(body) {
      const now = clock.now();
      const parsed = parseSnapshot(platform, body, now);
      if (parsed.kind === 'invalid') throw new ApiError('invalid_input', parsed.message);
      return acceptSnapshot(parsed.snapshot, now);
    },
  };
}
