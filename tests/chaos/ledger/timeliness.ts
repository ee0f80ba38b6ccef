import type { Backlog, ExcludedRequest, Fault } from './entries.js';

export interface TimelinessRules {
  /** SWEEP_INTERVAL, with what a look at the record and a restarted process take. */
  readonly allowanceMs: number;
  /** How long a dead worker may keep what it has in hand (docs/reference/webhooks.md), lease included. */
  readonly handoverMs: number;
}

export interface LatestStart {
  readonly latestMs: number;
  /** Was it in the hands of a worker that was taken away? */
  readonly handedOver: boolean;
}

/**
 * Until when a retry may start that was due at `dueAtMs`: one sweep later, counted anew from each event that explains
 * why it could not start before. An event counts only when it began before the time was up.
 *
 * - an outage, or a lost schedule: one sweep from its end;
 * - a worker taken away with the delivery in its hands: until others may have it, and one sweep;
 * - a request of it that a proxy failed, which is no attempt: until it may be made again, and one sweep;
 * - jobs waiting in the queue without a pause: the retry has its turn there, however slow this machine is.
 */
export function latestStart(
  {
    deliveryId,
    dueAtMs,
    excluded,
  }: { readonly deliveryId: string; readonly dueAtMs: number; readonly excluded: readonly ExcludedRequest[] },
  { faults, backlogs }: { readonly faults: readonly Fault[]; readonly backlogs: readonly Backlog[] },
  { allowanceMs, handoverMs }: TimelinessRules,
): LatestStart {
  let latestMs = dueAtMs + allowanceMs;
  let handedOver = false;
  const excuses = [
    ...faults.flatMap((fault) => [
      ...(fault.effects.has('outage') || fault.effects.has('loss')
        ? [{ fromMs: fault.fromMs, untilMs: fault.untilMs, handover: false }]
        : []),
      ...(fault.effects.has('handover') && fault.inHand.has(deliveryId)
        ? [{ fromMs: fault.fromMs, untilMs: othersMayHaveIt(fault, handoverMs), handover: true }]
        : []),
    ]),
    ...backlogs.map(({ fromMs, untilMs }) => ({ fromMs, untilMs, handover: false })),
    ...excluded.map(({ startedAtMs, againAtMs }) => ({ fromMs: startedAtMs, untilMs: againAtMs, handover: false })),
  ].sort((a, b) => a.fromMs - b.fromMs);
  for (const { fromMs, untilMs, handover } of excuses) {
    if (untilMs < dueAtMs - allowanceMs || fromMs > latestMs) continue;
    if (untilMs + allowanceMs <= latestMs) continue;
    latestMs = untilMs + allowanceMs;
    handedOver ||= handover;
  }
  return { latestMs, handedOver };
}

/** A PostgreSQL that wakes makes claims for workers that have long given up; only then does their time begin. */
function othersMayHaveIt({ fromMs, untilMs, effects }: Fault, handoverMs: number): number {
  return effects.has('outage') ? untilMs + handoverMs : Math.max(untilMs, fromMs + handoverMs);
}
