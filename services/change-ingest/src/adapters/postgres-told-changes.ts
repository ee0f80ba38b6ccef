import type { Platform } from '@artist-watch/domain/catalogue';
import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import type { Database } from '@artist-watch/persistence/database/database';
import { recordToldChanges } from '@artist-watch/persistence/ingest/told-changes';
import type { ToldChangeRecord } from '../application/ingest/accept-changes.js';
import { orRecordAway } from './postgres-trouble.js';

/** What is recorded carries its place in the trace, so that its deliveries can go on with it. */
export function createPostgresToldChanges({ pool }: Database, platform: Platform, tracing: Tracing): ToldChangeRecord {
  return {
    record: (changes, now) =>
      tracing.span('changes.confirm', { attributes: { 'changes.count': changes.length } }, ({ traceparent = null }) =>
        orRecordAway(recordToldChanges(pool, platform, changes, now, traceparent)),
      ),
  };
}
