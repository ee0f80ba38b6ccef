import type { MeasuredProcess } from '../processes/measured-process.js';

/** How many requests it has had. */
export async function requestsOf(receiver: MeasuredProcess): Promise<number> {
  return (await countsOf(receiver)).requests;
}

/** `open`: requests that it has not answered yet. */
export function countsOf(receiver: MeasuredProcess): Promise<{ readonly requests: number; readonly open: number }> {
  return receiver.ask('counts');
}

export interface Arrival {
  readonly path: string;
  readonly entityId: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** What has arrived since this was asked before; the first time says nothing, and begins. */
export async function arrivalsAt(receiver: MeasuredProcess): Promise<readonly Arrival[]> {
  const { arrivals } = await receiver.ask<{ readonly arrivals: readonly [string, string, number][] }>('arrivals');
  return arrivals.map(([path, entityId, atMs]) => ({ path, entityId, atMs }));
}
