import { ApiError } from '@artist-watch/contracts/api/errors';
import { type ReportedSnapshot, type SnapshotAnswer, snapshotParser } from '@artist-watch/contracts/ingest/snapshot';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { Clock } from '@artist-watch/runtime/clock';
import type { IngestRoute } from './ingest-listener.js';

/** `POST /ingest/v1/snapshots` */
export function snapshotsRoute(
  platform: Platform,
  clock: Clock,
  acceptSnapshot: (snapshot: ReportedSnapshot, now: Date) => Promise<SnapshotAnswer>,
): IngestRoute {
  const parse = snapshotParser(platform);
  return {
    path: '/ingest/v1/snapshots',
    accept(body) {
      const now = clock.now();
      const parsed = parse(body, now);
      if (parsed.kind === 'invalid') throw new ApiError('invalid_input', parsed.message);
      return acceptSnapshot(parsed.snapshot, now);
    },
  };
}
