import { RELEASE_WINDOW } from '@artist-watch/domain/delivery/retry-schedule';
import type {
  AcceptedChange,
  ExcludedRequest,
  FinalRecord,
  RecordedAttempt,
  RecordedDelivery,
  SeenRequest,
} from './entries.js';
import type { Ledger } from './ledger.js';
import { type MailAccount, reconcileMails } from './mails.js';
import { busySpans, latestStart, type TimelinessRules } from './timeliness.js';

export interface ReconcileRules extends TimelinessRules {
  readonly retryDelaysMs: readonly number[];
  /** Times in the database are whole milliseconds. */
  readonly roundingMs: number;
}

/** All lists of faults are empty if every promise was kept. */
export interface Account {
  readonly accepted: number;
  readonly expected: number;
  readonly delivered: number;
  readonly requests: number;
  readonly faults: number;
  readonly lost: readonly string[];
  /** No accepted change explains these deliveries. */
  readonly uncalledFor: readonly string[];
  readonly unsettled: readonly string[];
  /** The database says that they succeeded, but no receiver returned a success. */
  readonly claimedDelivered: readonly string[];
  readonly duplicates: number;
  /** Maximum number of requests in flight when processes were stopped. */
  readonly inFlightAtFaults: number;
  /** The workers' logs exclude these requests shortly after a fault. */
  readonly excludedAfterFaults: number;
  /** Logs also exclude requests without a fault, because a busy machine can delay a proxy's health check. */
  readonly excludedOtherwise: number;
  /** Requests sent again because the receiver had closed the connection without a response. */
  readonly resentAfterCut: number;
  readonly unexplainedDuplicates: readonly string[];
  readonly retries: number;
  readonly retriesHandedOver: number;
  readonly worstLatenessMs: number;
  /** Without a fault, no retry may be later. */
  readonly allowanceMs: number;
  readonly early: readonly string[];
  readonly late: readonly string[];
  /** Nothing explains the delay of these first attempts, and their destination got no others. */
  readonly firstsLate: readonly string[];
  readonly numbering: readonly string[];
  /** These attempts count as failures of receivers that did not fail. */
  readonly countedWrongly: readonly string[];
  readonly alteredBodies: readonly string[];
  readonly badSignatures: readonly string[];
  /** The name in these requests differs from the reported name. */
  readonly alteredNames: readonly string[];
  readonly mails: MailAccount;
}

/** Requests can arrive this long after their sender was resumed or stopped. */
const HELD_BACK_MS = 10_000;

export function reconcile(ledger: Ledger, record: FinalRecord, rules: ReconcileRules): Account {
  const seen = groupBy(ledger.seen, (request) => request.deliveryId);
  const attempts = groupBy(record.attempts, (attempt) => attempt.deliveryId);
  const ours = new Set(record.deliveries.map(({ deliveryId }) => deliveryId));
  const excluded = groupBy(
    record.excluded.filter(({ deliveryId }) => ours.has(deliveryId)),
    (request) => request.deliveryId,
  );
  const { lost, uncalledFor, expected, delivered } = coverage(ledger, record.deliveries, seen);
  return {
    accepted: ledger.accepted.size,
    expected,
    delivered,
    requests: ledger.seen.length,
    faults: ledger.faults.length,
    lost,
    uncalledFor,
    unsettled: record.deliveries.filter(({ state }) => state === 'pending').map(({ deliveryId }) => deliveryId),
    claimedDelivered: record.deliveries
      .filter(({ deliveryId, state }) => state === 'succeeded' && !wasAnsweredOk(seen.get(deliveryId)))
      .map(({ deliveryId }) => deliveryId),
    ...duplicates(ledger, seen, excluded),
    ...punctuality(ledger, { attempts, seen, excluded }, rules),
    firstsLate: lateFirsts(ledger, record, excluded, rules),
    numbering: record.deliveries.flatMap((delivery) => numberingFaults(delivery, attempts.get(delivery.deliveryId))),
    countedWrongly: record.attempts
      .filter((attempt) => attempt.outcome === 'failed' && !receiverFailed(attempt, seen.get(attempt.deliveryId)))
      .map(({ deliveryId, number, blame, error }) => `${deliveryId} attempt ${number}: ${blame}, ${error}`),
    alteredBodies: [...seen]
      .filter(([, requests]) => new Set(requests.map(({ bodyDigest }) => bodyDigest)).size > 1)
      .map(([deliveryId]) => deliveryId),
    badSignatures: ledger.seen.filter((request) => !request.signatureHolds).map(nameOf),
    alteredNames: ledger.seen.filter((request) => !request.isNameIntact).map(nameOf),
    mails: reconcileMails(ledger, record.deliveries),
  };
}

/** Compares rows and requests with the expected deliveries: each change for each destination whose rules match it. */
function coverage(
  { accepted, destinations }: Ledger,
  deliveries: readonly RecordedDelivery[],
  seen: ReadonlyMap<string, readonly SeenRequest[]>,
) {
  const recorded = new Map(deliveries.map((row) => [`${row.externalId} to ${row.destinationId}`, row]));
  const lost: string[] = [];
  let expected = 0;
  let delivered = 0;
  const isExpected = new Set<string>();
  for (const change of accepted.values()) {
    for (const destination of destinations) {
      if (!destination.lets(change)) continue;
      expected += 1;
      const pair = `${change.externalId} to ${destination.destinationId}`;
      isExpected.add(pair);
      const row = recorded.get(pair);
      if (row && wasAnsweredOk(seen.get(row.deliveryId))) delivered += 1;
      else lost.push(lossOf(change, destination.name, row));
    }
  }
  const uncalledFor = [...recorded.keys()].filter((pair) => !isExpected.has(pair));
  return { expected, delivered, lost, uncalledFor };
}

function lossOf(change: AcceptedChange, destination: string, row: RecordedDelivery | undefined): string {
  const fate = row
    ? `${row.deliveryId} is ${row.state} after ${row.attemptCount} attempts`
    : 'the delivery was not stored';
  return `${change.externalId} to ${destination}: ${fate}`;
}

function duplicates(
  { faults }: Ledger,
  seen: ReadonlyMap<string, readonly SeenRequest[]>,
  excluded: ReadonlyMap<string, readonly ExcludedRequest[]>,
) {
  const handovers = faults.filter((fault) => fault.effects.has('handover'));
  const leftBehind = ({ startedAtMs, endedAtMs }: ExcludedRequest) =>
    handovers.some(({ fromMs, untilMs }) => fromMs <= endedAtMs && untilMs + HELD_BACK_MS >= startedAtMs);
  const allExcluded = [...excluded.values()].flat();
  const unexplained: string[] = [];
  let count = 0;
  let resent = 0;
  for (const requests of seen.values()) {
    for (const [attempt, same] of groupBy(requests, (request) => request.attempt)) {
      let wasReplaced = false;
      for (const [index, repeat] of same.entries()) {
        const before = same[index - 1];
        if (!before) continue;
        count += 1;
        // Between the two requests, a process that was sending this delivery must have been stopped.
        const wasInHand = handovers.some(
          ({ inHand, fromMs, untilMs }) =>
            inHand.has(repeat.deliveryId) &&
            fromMs <= repeat.arrivedAtMs &&
            untilMs + HELD_BACK_MS >= before.arrivedAtMs,
        );
        const wasExcluded = (excluded.get(repeat.deliveryId) ?? []).some(
          (request) =>
            request.attempt === attempt &&
            request.endedAtMs + HELD_BACK_MS >= before.arrivedAtMs &&
            request.endedAtMs <= repeat.arrivedAtMs,
        );
        // If a kept-alive connection ends before the response, its worker sends the request once more
        // (docs/api/webhooks.md). A worker that claims the delivery later may do the same.
        wasReplaced = !wasInHand && !wasExcluded && !wasReplaced && before.answer === 'cut';
        if (wasReplaced) resent += 1;
        if (!wasInHand && !wasExcluded && !wasReplaced)
          unexplained.push(
            `${nameOf(repeat)} (again after ${Math.round(repeat.arrivedAtMs - before.arrivedAtMs)} ms, first response: ${before.answer})`,
          );
      }
    }
  }
  return {
    duplicates: count,
    inFlightAtFaults: handovers.reduce((sum, { inHand }) => sum + inHand.size, 0),
    excludedAfterFaults: allExcluded.filter(leftBehind).length,
    excludedOtherwise: allExcluded.filter((request) => !leftBehind(request)).length,
    resentAfterCut: resent,
    unexplainedDuplicates: unexplained,
  };
}

function punctuality(
  { faults, backlogs }: Ledger,
  {
    attempts,
    seen,
    excluded,
  }: {
    readonly attempts: ReadonlyMap<string, readonly RecordedAttempt[]>;
    readonly seen: ReadonlyMap<string, readonly SeenRequest[]>;
    readonly excluded: ReadonlyMap<string, readonly ExcludedRequest[]>;
  },
  rules: ReconcileRules,
) {
  const early: string[] = [];
  const late: string[] = [];
  let retries = 0;
  let retriesHandedOver = 0;
  let worstLatenessMs = 0;
  for (const [deliveryId, made] of attempts) {
    const byNumber = new Map(made.map((attempt) => [attempt.number, attempt]));
    for (const attempt of made) {
      const before = byNumber.get(attempt.number - 1);
      const delayMs = rules.retryDelaysMs[attempt.number - 2];
      if (!before || delayMs === undefined) continue;
      retries += 1;
      const dueAtMs = before.endedAtMs + delayMs;
      const latenessMs = attempt.startedAtMs - dueAtMs;
      const name = `${deliveryId} attempt ${attempt.number}`;
      const earliestMs = Math.min(latenessMs, sinceAnswered(seen.get(deliveryId), attempt.number) - delayMs);
      if (earliestMs < -rules.roundingMs) early.push(`${name}: ${Math.round(-earliestMs)} ms early`);
      const { latestMs, handedOver } = latestStart(
        { deliveryId, dueAtMs, excluded: excluded.get(deliveryId) ?? [] },
        { faults, backlogs },
        rules,
      );
      if (handedOver && latenessMs > rules.allowanceMs) retriesHandedOver += 1;
      if (attempt.startedAtMs > latestMs) {
        late.push(
          `${name}: ${Math.round(latenessMs)} ms late, ${Math.round(latenessMs - (latestMs - dueAtMs))} ms too late`,
        );
      }
      worstLatenessMs = Math.max(worstLatenessMs, latenessMs);
    }
  }
  return {
    retries,
    retriesHandedOver,
    worstLatenessMs: Math.round(worstLatenessMs),
    allowanceMs: rules.allowanceMs,
    early,
    late,
  };
}

/** A first attempt is due when its change is accepted. A failing destination gets them one at a time, with pauses. */
function lateFirsts(
  { accepted, seen, faults, backlogs }: Ledger,
  { deliveries, attempts }: FinalRecord,
  excluded: ReadonlyMap<string, readonly ExcludedRequest[]>,
  rules: ReconcileRules,
): string[] {
  const startedAtMs = new Map(
    attempts.map((attempt) => [`${attempt.deliveryId} ${attempt.number}`, attempt.startedAtMs]),
  );
  const requests = groupBy(seen, ({ destinationId }) => destinationId);
  const late: string[] = [];
  for (const [destinationId, its] of groupBy(deliveries, (delivery) => delivery.destinationId)) {
    const toIt = requests.get(destinationId) ?? [];
    const isPaced = toIt.some(({ answer }) => answer === 'failure' || answer === 'cut');
    const allowanceMs = rules.allowanceMs + (isPaced ? (rules.retryDelaysMs[0] ?? 0) : 0);
    // A dead worker's deliveries can fill the window of an idle destination, so no others are released to it
    // (docs/adr/0043).
    const ids = new Set(its.map(({ deliveryId }) => deliveryId));
    const ownFaults = faults.map((fault) => {
      const inFlight = [...fault.inHand].filter((deliveryId) => ids.has(deliveryId)).length;
      return inFlight >= RELEASE_WINDOW.start ? { ...fault, inHand: ids } : fault;
    });
    const explained = { faults: ownFaults, backlogs: [...backlogs, ...busySpans(toIt, allowanceMs)] };
    for (const { deliveryId, externalId } of its) {
      const startMs = startedAtMs.get(`${deliveryId} 1`);
      const dueAtMs = accepted.get(externalId)?.acceptedAtMs;
      if (startMs === undefined || dueAtMs === undefined) continue;
      const due = { deliveryId, dueAtMs, excluded: excluded.get(deliveryId) ?? [] };
      const { latestMs } = latestStart(due, explained, { ...rules, allowanceMs });
      if (startMs > latestMs) late.push(`${deliveryId}: ${Math.round(startMs - latestMs)} ms too late`);
    }
  }
  return late;
}

/** Returns the receiver's time between its response to the previous attempt and this attempt. */
function sinceAnswered(requests: readonly SeenRequest[] = [], attempt: number): number {
  const answers = requests.filter((request) => request.attempt === attempt - 1).map((request) => request.answeredAtMs);
  const arrivals = requests.filter((request) => request.attempt === attempt).map((request) => request.arrivedAtMs);
  // An attempt that was sent twice got two responses, and either of them may have been settled.
  const answeredAtMs = Math.min(...answers.map((answeredAt) => answeredAt ?? Number.POSITIVE_INFINITY));
  const sinceMs = Math.min(...arrivals) - answeredAtMs;
  return Number.isFinite(sinceMs) ? sinceMs : Number.POSITIVE_INFINITY;
}

function numberingFaults(delivery: RecordedDelivery, attempts: readonly RecordedAttempt[] = []): string[] {
  const numbers = attempts.map(({ number }) => number).sort((a, b) => a - b);
  const isWhole = numbers.every((number, index) => number === index + 1) && numbers.length === delivery.attemptCount;
  return isWhole ? [] : [`${delivery.deliveryId} counts ${delivery.attemptCount}, has ${numbers.join(', ') || 'none'}`];
}

function receiverFailed(attempt: RecordedAttempt, requests: readonly SeenRequest[] = []): boolean {
  return requests.some(
    ({ attempt: number, answer }) => number === attempt.number && (answer === 'failure' || answer === 'cut'),
  );
}

function wasAnsweredOk(requests: readonly SeenRequest[] = []): boolean {
  return requests.some(({ answer }) => answer === 'ok');
}

function nameOf({ deliveryId, attempt }: SeenRequest): string {
  return `${deliveryId} attempt ${attempt}`;
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
