import type { RequestListener } from 'node:http';
import { PassThrough } from 'node:stream';
import { createIngestMetrics } from '@artist-watch/change-ingest/adapters/detection-log';
import { ingestListener } from '@artist-watch/change-ingest/adapters/ingest-listener';
import {
  createPostgresArtistIds,
  createPostgresReportedChanges,
} from '@artist-watch/change-ingest/adapters/postgres-reported-changes';
import type { ObservationIntake } from '@artist-watch/change-ingest/application/detection/settlement';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { noTracing } from '@artist-watch/observability/tracing/tracing';
import { type Database, openDatabase } from '@artist-watch/persistence/database/database';
import type { Clock } from '@artist-watch/runtime/clock';
import type pg from 'pg';

export const TOKEN = 'the-token-of-ingest-in-these-tests';
export const NEXT_TOKEN = 'the-next-token-of-ingest-in-these-tests';

export interface IngestFixture {
  readonly app: RequestListener;
  released(): number;
}

/** The listener is connected as in compose.ts. */
export function createIngestFixture(database: Database, clock: Clock, intake?: ObservationIntake): IngestFixture {
  let released = 0;
  const { record } = createPostgresReportedChanges({
    database,
    platform: 'deezer',
    tracing: noTracing,
    releaseLoops: {
      add: (deliveries) => {
        released += deliveries.length;
      },
      nudge: () => undefined,
    },
  });
  const app = ingestListener({
    tokens: [TOKEN, NEXT_TOKEN],
    platform: 'deezer',
    clock,
    record,
    snapshots: {
      artistIdOf: createPostgresArtistIds(database, 'deezer'),
      intake: intake ?? { process: () => Promise.reject(new Error('This fixture has no intake.')) },
      onProcessed: () => undefined,
    },
    log: createLogger({ service: 'change-ingest', level: 'error', stream: new PassThrough().resume() }),
    metrics: createIngestMetrics(createMetrics({ service: 'change-ingest' })),
    tracing: noTracing,
  });
  return { app, released: () => released };
}

export function openTestDatabase(databaseUrl: string): Database {
  // Busy machines need long timeouts. These suites don't test how quickly errors appear.
  const patience = { connectTimeoutMs: 120_000, idleInTransactionMs: 120_000, statementTimeoutMs: 120_000 };
  return openDatabase({ url: databaseUrl, applicationName: 'change-ingest', ...patience });
}

/** Returns the artist's id. */
export async function watching(
  pool: pg.Pool,
  watch: {
    readonly accountId: string;
    readonly artistPlatformId: string;
    readonly plan?: 'free' | 'starter' | 'pro' | 'business';
    readonly platform?: 'deezer' | 'spotify';
    /** Detailed reads depend on the artist's id, so it is the same in each run. */
    readonly artistId?: string;
    readonly now?: Date;
  },
): Promise<string> {
  const { accountId, artistPlatformId, plan = 'business', platform = 'deezer' } = watch;
  const { now = new Date('2026-01-01T00:00:00Z') } = watch;
  await pool.query(`INSERT INTO accounts (id, name, plan, created_at) VALUES ($1, $1, $2, $3) ON CONFLICT DO NOTHING`, [
    accountId,
    plan,
    now,
  ]);
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO artists (id, platform, platform_id, name, created_at, next_poll_at)
     VALUES (coalesce($4, 'art_' || md5($3 || $1)), $3::platform, $1, $1, $2, $2)
     ON CONFLICT (platform, platform_id) DO UPDATE SET next_poll_at = least(artists.next_poll_at, excluded.next_poll_at)
     RETURNING id`,
    [artistPlatformId, now, platform, watch.artistId ?? null],
  );
  const artistId = rows[0]?.id ?? '';
  await pool.query(
    `INSERT INTO watches (id, account_id, artist_id, created_at) VALUES (new_id('wat', $3), $1, $2, $3)`,
    [accountId, artistId, now],
  );
  return artistId;
}

/** A destination without rules receives everything. */
export async function destinationOf(
  pool: pg.Pool,
  destination: {
    readonly id: string;
    readonly accountId: string;
    readonly minSeverity?: string;
    readonly off?: boolean;
  },
): Promise<void> {
  await pool.query(
    `INSERT INTO destinations (id, account_id, url, state, min_severity, created_at, switched_off_at, switched_off_reason,
                               plan_required)
     SELECT $1, id, 'https://receiver.test/', $3::destination_state, $4::severity, now(),
            CASE WHEN $3::destination_state = 'off' THEN now() END,
            CASE WHEN $3::destination_state = 'off' THEN 'test' END, plan <> 'business'
       FROM accounts WHERE id = $2`,
    [destination.id, destination.accountId, destination.off ? 'off' : 'active', destination.minSeverity ?? null],
  );
}
