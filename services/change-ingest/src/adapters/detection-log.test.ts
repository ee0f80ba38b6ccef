import { PassThrough } from 'node:stream';
import type { IncompleteCause, Observation } from '@artist-watch/domain/catalogue';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { expect, test } from '@jest/globals';
import type { PolledArtist } from '../application/polling/poller.js';
import { createDetectionLog, createIngestMetrics } from './detection-log.js';

const observedAt = new Date('2026-03-01T12:00:00Z');
const complete = { kind: 'artist_gone', observedAt } as const;
const failed = (cause: IncompleteCause = 'platform_error') =>
  ({ kind: 'incomplete', observedAt, cause, reason: 'unavailable: 503' }) as const;

function logPolls(observations: readonly Observation[]) {
  const stream = new PassThrough();
  let nowMs = 0;
  const metrics = createIngestMetrics(createMetrics({ service: 'change-ingest' }));
  const log = createDetectionLog(
    createLogger({ service: 'change-ingest', level: 'info', stream }),
    metrics,
    () => nowMs,
  );
  for (const observation of observations) {
    const artist = { due: { id: 'art_1', platformId: '1' }, depth: 'shallow', durationMs: 1 };
    const settlement = { kind: 'unchanged', advance: null, rows: { artist: {} } };
    log.polled({ ...artist, processed: { reading: { observation }, settlement } } as unknown as PolledArtist);
    nowMs += 1_000;
  }
  return new Promise<Record<string, unknown>[]>((resolve) =>
    setImmediate(() => {
      const lines = String(stream.read()).trim().split('\n');
      resolve(lines.map((line) => JSON.parse(line)));
    }),
  );
}

test('a failed poll is logged as a warning', async () => {
  const lines = await logPolls([complete, failed(), failed('incomplete_list')]);
  expect(lines.map(({ level, event }) => `${level} ${event}`)).toEqual([
    'info artist.polled',
    'warn artist.polled',
    'warn artist.polled',
  ]);
});

test('a platform outage is logged once when it starts and once when it ends', async () => {
  const lines = await logPolls([failed(), failed(), failed(), failed(), failed(), complete, complete]);
  expect(lines.map(({ level, event }) => `${level} ${event}`)).toEqual([
    'warn artist.polled',
    'warn artist.polled',
    'error platform.outage_started',
    'info artist.polled',
    'info artist.polled',
    'info artist.polled',
    'warn platform.outage_ended',
    'info artist.polled',
    'info artist.polled',
  ]);
  expect(lines[2]).toMatchObject({ reason: 'unavailable: 503' });
  expect(lines[6]).toMatchObject({ failedPolls: 5, durationMs: 5_000 });
});
