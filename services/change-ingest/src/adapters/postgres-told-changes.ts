import type { Platform } from '@artist-watch/domain/catalogue';
import type { Database } from '@artist-watch/persistence/database';
import { recordToldChanges } from '@artist-watch/persistence/ingest/told-changes';
import type { ToldChangeRecord } from '../application/ingest/accept-changes.js';
import { orRecordAway } from './postgres-trouble.js';

export function createPostgresToldChanges({ pool }: Database, platform: Platform): ToldChangeRecord {
  return { record: (changes, now) => orRecordAway(recordToldChanges(pool, platform, changes, now)) };
}
