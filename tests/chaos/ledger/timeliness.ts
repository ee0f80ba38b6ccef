import type { Backlog, ExcludedRequest, Fault, SeenRequest } from './entries.js';

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
 * Until when an attempt may start that was due at `dueAtMs`: one sweep later, counted anew from each event that explains
 * why it could not start before. An event counts only when it began before the time was up.
 *
 * - an outage, or a lost schedule: one sweep from its end;
 * - a worker taken away with the delivery in its hands: until others may have it, and one sweep;
 * - a request of it that a proxy failed, which is no attempt: until it may be made again, and one sweep;
 * - spans in which jobs waited in the queue without a pause, or, for a first attempt, others reached the same destination:
 *   it has its turn there, however slow this machine or the receiver is.
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

/**
 * The spans in which first attempts reached a destination without a pause.
 *
 * @param requests those of the destination.
 * @param pauseMs longer than two of them may lie apart.
 */
export function busySpans(requests: readonly SeenRequest[], pauseMs: number): readonly Backlog[] {
  const spans: { fromMs: number; untilMs: number }[] = [];
  const firsts = requests.filter(({ attempt }) => attempt === 1).sort((a, b) => a.arrivedAtMs - b.arrivedAtMs);
  for (const { arrivedAtMs, answeredAtMs = arrivedAtMs } of firsts) {
    const span = spans.at(-1);
    if (span && arrivedAtMs <= span.untilMs + pauseMs) span.untilMs = Math.max(span.untilMs, answeredAtMs);
    else spans.push({ fromMs: arrivedAtMs, untilMs: answeredAtMs });
  }
  return spans;
}
