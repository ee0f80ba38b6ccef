import { ApiError } from '@artist-watch/contracts/api/errors';
import { type IngestAnswer, type IngestedChange, ingestedBatchParser } from '@artist-watch/contracts/ingest/changes';
import { type ReportedSnapshot, type SnapshotAnswer, snapshotParser } from '@artist-watch/contracts/ingest/snapshot';
import type { Platform } from '@artist-watch/domain/catalogue';
import { isSameSecret } from '@artist-watch/domain/same-secret';
import { bearerToken } from '@artist-watch/http/request/request-head';
import type { Clock } from '@artist-watch/runtime/clock';

/** A route that accepts reports by POST. */
export interface IngestRoute {
  readonly path: string;
  /** Resolves with the body of the 202 response after the commit. @throws ApiError */
  accept(body: unknown): Promise<object>;
}

/** `POST /ingest/v1/changes` */
export function changesRoute(
  platform: Platform,
  clock: Clock,
  acceptChanges: (changes: readonly IngestedChange[], now: Date) => Promise<IngestAnswer>,
): IngestRoute {
  const parseBatch = ingestedBatchParser(platform);
  return {
    path: '/ingest/v1/changes',
    async accept(body) {
      const now = clock.now();
      const batch = parseBatch(body, now);
      if (batch.kind === 'invalid') throw new ApiError('invalid_input', batch.message);
      return acceptChanges(batch.changes, now);
    },
  };
}

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

/**
 * Returns a function that checks the `Authorization` header. It throws ApiError `unauthorized` if the header contains
 * none of the tokens.
 */
export function bearerCheck(tokens: readonly string[]): (authorization: string | undefined) => void {
  return (authorization) => {
    const given = bearerToken(authorization);
    if (given === undefined || !tokens.some((token) => isSameSecret(given, token))) {
      throw new ApiError('unauthorized', 'Send the ingest token as "Authorization: Bearer …".', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
  };
}
