import type { RequestListener } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '@artist-watch/contracts/api/errors';
import {
  CHANGES_PER_TICK,
  type IngestAnswer,
  ingestedBatchParser,
  type RecordedChanges,
} from '@artist-watch/contracts/ingest/changes';
import { type SnapshotAnswer, snapshotParser } from '@artist-watch/contracts/ingest/snapshot';
import { isSameSecret } from '@artist-watch/domain/account/credentials';
import type { Platform } from '@artist-watch/domain/catalogue';
import { RequestsInProgress } from '@artist-watch/http/limit/rate-limit';
import { bodyReader } from '@artist-watch/http/request/request-body';
import { bearerToken, refuseAmbiguous } from '@artist-watch/http/request/request-head';
import { RequestContext } from '@artist-watch/http/request-context';
import { requestRecord, requestTrace } from '@artist-watch/http/request-record';
import { type Logger, withContext } from '@artist-watch/observability/logger';
import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import type { Clock } from '@artist-watch/runtime/clock';
import {
  type AcceptChangesPorts,
  type AcceptSnapshotPorts,
  acceptChanges,
  acceptSnapshot,
} from '../application/accept-reports.js';
import type { IngestMetrics } from './detection-log.js';

interface IngestListenerOptions {
  readonly tokens: readonly string[];
  readonly platform: Platform;
  readonly clock: Clock;
  readonly record: AcceptChangesPorts['record'];
  readonly snapshots: AcceptSnapshotPorts;
  readonly log: Logger;
  readonly metrics: IngestMetrics;
  readonly tracing: Tracing;
}

const CHANGES = '/ingest/v1/changes';
const SNAPSHOTS = '/ingest/v1/snapshots';

/** The limit applies to the decompressed body (docs/reference/ingest.md). */
const readBody = bodyReader({ maxBytes: 5_000_000, maxText: '5 MB', inflate: true });

/** A limit for all detectors together, because a 5 MB body takes several times as much memory once it is parsed. */
const LARGE_IN_PROGRESS = { atOnce: 8, maxWaiting: 200 };
/** Smaller requests are not limited, so that many can share a transaction. */
const SMALL_BYTES = 65_536;

/** Serves `/ingest/v1/…` (docs/reference/ingest.md). Checks authentication first, then the route, then the input. */
export function ingestListener(options: IngestListenerOptions): RequestListener {
  const { tokens, platform, clock, record, snapshots, log, metrics } = options;
  const inProgress = new RequestsInProgress(LARGE_IN_PROGRESS);
  const parseChanges = ingestedBatchParser(platform);
  const parseSnapshot = snapshotParser(platform);
  const trace = requestTrace(options.tracing, 'trusted');
  const onEnd = trace.atEnd(
    requestRecord(log, ({ route, status, seconds, cutShort }) =>
      metrics.requestSeconds.observe({ route, status: cutShort ? 'aborted' : status }, seconds),
    ),
  );

  async function answer(context: RequestContext): Promise<void> {
    const { request, response } = context;
    if (context.brokenBy) throw context.brokenBy;
    const path = (request.url ?? '').split('?', 1)[0];
    if (path !== CHANGES && path !== SNAPSHOTS) {
      throw new ApiError('not_found', `This path does not exist. Use ${CHANGES} or ${SNAPSHOTS}.`);
    }
    context.route = path;
    if (request.method !== 'POST') {
      throw new ApiError('method_not_allowed', 'This path supports only POST requests.', {
        headers: { Allow: 'POST' },
      });
    }
    const { 'content-length': bytes, 'content-encoding': encoding } = request.headers;
    // Chunked and compressed bodies are treated as large, because their final size isn't known.
    const isSmall = encoding === undefined && Number(bytes) <= SMALL_BYTES;
    if (!isSmall) await inProgress.enter('detectors', context);
    const body = await readBody(request, response).readJson();
    const now = clock.now();
    let accepted: IngestAnswer | SnapshotAnswer;
    if (path === CHANGES) {
      const batch = await parseChanges(body, now);
      if (batch.kind === 'invalid') throw new ApiError('invalid_input', batch.message);
      accepted = await acceptChanges(batch.changes, now, { platform, record, onRecorded });
    } else {
      const parsed = parseSnapshot(body, now);
      if (parsed.kind === 'invalid') throw new ApiError('invalid_input', parsed.message);
      accepted = await acceptSnapshot(parsed.snapshot, now, snapshots);
    }
    context.send({ status: 202, body: JSON.stringify(accepted) });
  }

  async function onRecorded({ accepted, duplicates }: RecordedChanges & { kind: 'recorded' }): Promise<void> {
    metrics.reportedChanges.inc({ result: 'accepted' }, accepted.length);
    metrics.reportedChanges.inc({ result: 'duplicate' }, duplicates);
    metrics.confirmed.inc({ source: 'ingest' }, accepted.length);
    if (!log.isOn('info')) return;
    for (const [index, change] of accepted.entries()) {
      if (index > 0 && index % CHANGES_PER_TICK === 0) await setImmediate();
      log.info('change.confirmed', {
        source: 'ingest',
        changeId: change.id,
        externalId: change.externalId,
        artistPlatformId: change.artist.platformId,
        type: change.type,
        severity: change.severity,
        entityType: change.entityType,
        entityId: change.entityId,
        detectedAt: change.detectedAt,
        confirmedAt: change.confirmedAt,
      });
    }
  }

  return trace.around((request, response) => {
    const startedAtMs = performance.now();
    const context = new RequestContext(request, response);
    response.once('close', () => onEnd(context, performance.now() - startedAtMs));
    try {
      refuseAmbiguous(request);
      const given = bearerToken(request.headers.authorization);
      if (given === undefined || !tokens.some((token) => isSameSecret(given, token))) {
        throw new ApiError('unauthorized', 'Send the ingest token as "Authorization: Bearer …".', {
          headers: { 'WWW-Authenticate': 'Bearer' },
        });
      }
    } catch (error) {
      context.fail(error);
      return;
    }
    void withContext({ requestId: context.requestId }, () =>
      answer(context).catch((error: unknown) => context.fail(error)),
    );
  });
}
