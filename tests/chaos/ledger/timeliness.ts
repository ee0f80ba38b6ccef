import type { Backlog, ExcludedRequest, Fault, SeenRequest } from './entries.js';

export interface TimelinessRules {
  /** The sum of SWEEP_INTERVAL and the time for a database query and a restarted process. */
  readonly allowanceMs: number;
  /** A dead worker's deliveries can stay claimed for this long (docs/api/webhooks.md). */
  readonly handoverMs: number;
}

export interface LatestStart {
  readonly latestMs: number;
  /** True if a stopped worker had claimed the delivery. */
  readonly handedOver: boolean;
}

/**
 * Returns the latest time when an attempt may start: one sweep after `dueAtMs`, or after the end of an event that began
 * before the limit:
 * - an outage or a lost queue
 * - a stopped worker's claim
 * - the wait after a request that a proxy failed
 * - a period in which the queue was never empty, or the destination got other first attempts
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

/** A resumed PostgreSQL can execute old claims, whose leases start only at that time. */
function othersMayHaveIt({ fromMs, untilMs, effects }: Fault, handoverMs: number): number {
  return effects.has('outage') ? untilMs + handoverMs : Math.max(untilMs, fromMs + handoverMs);
}

/**
 * Returns the periods in which a destination got first attempts without a pause.
 * @param pauseMs a longer time between two requests ends a period.
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
