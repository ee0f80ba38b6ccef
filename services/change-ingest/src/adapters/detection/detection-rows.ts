import { parseBaseline } from '@artist-watch/domain/detection/baseline';
import { TREND_WINDOW_DAYS } from '@artist-watch/domain/detection/followers-trend';
import { parseDifference, parseSuspicion } from '@artist-watch/domain/detection/suspicion';
import type { ArtistId } from '@artist-watch/domain/ids';
import type { Database } from '@artist-watch/persistence/database/database';
import { type DetectionRow, readDetectionRows } from '@artist-watch/persistence/polling/artist-rows';
import type { ArtistDetection } from '../../application/detection/reading.js';
import type { LoadDetections } from '../../application/polling/ports.js';

const DAY_MS = 86_400_000;

/** The first day of the followers' history that is looked at. */
export function historySince(now: Date): Date {
  return new Date(now.getTime() - TREND_WINDOW_DAYS * DAY_MS);
}

/** What is stored of an artist, parsed. Throws an UnreadableRecordError for what cannot be: it is no empty catalogue. */
export function detectionFrom(row: DetectionRow): ArtistDetection {
  return {
    baseline: row.baseline === null ? null : parseBaseline(row.baseline),
    suspicions: row.openChanges.map(parseSuspicion),
    suspicionIds: new Map(row.openChanges.map(({ id, differenceKey }) => [differenceKey, id])),
    ignored: row.ignoredChanges.map(({ id, difference }) => ({ id, difference: parseDifference(difference) })),
    followersHistory: row.followersHistory,
  };
}

/** @param onUnreadable called with an artist whose record cannot be read; it is left out. */
export function createPostgresDetections(
  { pool }: Database,
  onUnreadable: (artistId: ArtistId, error: unknown) => void,
): LoadDetections {
  return async (artistIds, now) => {
    const detections = new Map<ArtistId, ArtistDetection>();
    for (const row of await readDetectionRows(pool, artistIds, historySince(now))) {
      try {
        detections.set(row.artistId, detectionFrom(row));
      } catch (error) {
        onUnreadable(row.artistId, error);
      }
    }
    return detections;
  };
}
