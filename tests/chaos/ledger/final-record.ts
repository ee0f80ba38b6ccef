import type pg from 'pg';
import type { ExcludedRequest, FinalRecord, RecordedAttempt, RecordedDelivery } from './entries.js';

const hourMs = 3_600_000;

export async function readFinalRecord(
  pool: pg.Pool,
  logLines: readonly string[],
  destinationIds: readonly string[],
): Promise<FinalRecord> {
  const deliveries = await pool.query<RecordedDelivery>(
    `SELECT d.id AS "deliveryId", d.destination_id AS "destinationId", c.external_id AS "externalId", d.change_id AS "changeId", d.state,
            d.attempt_count AS "attemptCount"
       FROM deliveries d JOIN changes c ON c.id = d.change_id
      WHERE d.destination_id = ANY($1)`,
    [destinationIds],
  );
  const attempts = await pool.query<RecordedAttempt>(
    `SELECT a.delivery_id AS "deliveryId", a.number, a.outcome, a.blame, a.error,
            (extract(epoch FROM a.started_at) * 1000)::float8 AS "startedAtMs",
            (extract(epoch FROM a.ended_at) * 1000)::float8 AS "endedAtMs"
       FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
      WHERE d.destination_id = ANY($1)
      ORDER BY a.delivery_id, a.number`,
    [destinationIds],
  );
  return {
    deliveries: deliveries.rows,
    attempts: attempts.rows,
    excluded: logLines.flatMap((line) => excludedIn(line, Date.now())),
  };
}

function excludedIn(line: string, nowMs: number): ExcludedRequest[] {
  if (!line.includes('"event":"attempt.excluded"')) return [];
  // The last line of a killed process may be incomplete.
  if (!line.endsWith('}')) return [];
  const { time, deliveryId, attempt, durationMs, waitMs } = JSON.parse(line) as {
    readonly time: string;
    readonly deliveryId: string;
    readonly attempt: number;
    readonly durationMs: number;
    readonly waitMs: number;
  };
  const saidMs = Date.parse(time);
  // Scenarios set clocks wrong by whole hours and last less than half an hour.
  const endedAtMs = saidMs - Math.round((saidMs - nowMs) / hourMs) * hourMs;
  return [{ deliveryId, attempt, startedAtMs: endedAtMs - durationMs, endedAtMs, againAtMs: endedAtMs + waitMs }];
}
