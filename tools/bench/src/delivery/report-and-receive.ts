import type { MeasuredProcess } from '../processes/measured-process.js';

export interface IngestAddress {
  readonly port: number;
  readonly token: string;
}

export interface ReportedChange {
  readonly artist: string;
  readonly entityId: string;
  readonly type?: string;
}

export function numberedChanges(artist: string, name: string, count: number, from = 0): ReportedChange[] {
  return Array.from({ length: count }, (_, index) => ({ artist, entityId: `${name}-${from + index}` }));
}

const MOST_AT_ONCE = 1_000;

/** Resolves when the changes are durable and their deliveries exist. */
export async function reportChanges({ port, token }: IngestAddress, changes: readonly ReportedChange[]): Promise<void> {
  for (let from = 0; from < changes.length; from += MOST_AT_ONCE) {
    const response = await fetch(`http://127.0.0.1:${port}/ingest/v1/changes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ changes: changes.slice(from, from + MOST_AT_ONCE).map(bodyOf) }),
    });
    if (response.status !== 202)
      throw new Error(`change-ingest responded with ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
}

export function bodyOf({ artist, entityId, type = 'release_removed' }: ReportedChange) {
  return {
    external_id: entityId,
    platform: 'deezer',
    artist_platform_id: artist,
    artist_name: artist,
    type,
    severity: 'critical',
    entity_type: 'release',
    entity_id: entityId,
    entity_name: 'Night Drive (Deluxe Edition)',
    detected_at: new Date().toISOString(),
  };
}

export async function requestsOf(receiver: MeasuredProcess): Promise<number> {
  return (await countsOf(receiver)).requests;
}

/** `open` is the number of requests that haven't received a response yet. */
export function countsOf(receiver: MeasuredProcess): Promise<{ readonly requests: number; readonly open: number }> {
  return receiver.ask('counts');
}

export interface Arrival {
  readonly path: string;
  readonly entityId: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** The first call only starts recording. Later calls return what has arrived since the previous call. */
export async function arrivalsAt(receiver: MeasuredProcess): Promise<readonly Arrival[]> {
  const { arrivals } = await receiver.ask<{ readonly arrivals: readonly [string, string, number][] }>('arrivals');
  return arrivals.map(([path, entityId, atMs]) => ({ path, entityId, atMs }));
}
