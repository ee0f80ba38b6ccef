import { describe, expect, test } from '@jest/globals';
import type { ExcludedRequest, Fault, FinalRecord, RecordedAttempt, RecordedDelivery, SeenRequest } from './entries.js';
import { Ledger } from './ledger.js';
import { type Account, reconcile } from './reconcile.js';
import { brokenPromises } from './statement.js';

const rules = { retryDelaysMs: [2_000], allowanceMs: 1_000, handoverMs: 30_000, roundingMs: 2 };

/** The first attempt fails, and the retry two seconds later succeeds. */
function asPromised() {
  const ledger = new Ledger();
  ledger.destinations.push({ destinationId: 'dst_1', name: 'one', lets: () => true });
  ledger.accept([{ externalId: 'ext-1', severity: 'critical', acceptedAtMs: 0 }]);
  ledger.see(request({ attempt: 1, arrivedAtMs: 100, answer: 'failure' }));
  ledger.see(request({ attempt: 2, arrivedAtMs: 2_120, answer: 'ok' }));
  const deliveries: RecordedDelivery[] = [
    {
      deliveryId: 'dlv_1',
      destinationId: 'dst_1',
      externalId: 'ext-1',
      changeId: 'chg_1',
      state: 'succeeded',
      attemptCount: 2,
    },
  ];
  const attempts = [attempt({ number: 1, startedAtMs: 95 }), attempt({ number: 2, startedAtMs: 2_115 })];
  const excluded: ExcludedRequest[] = [];
  return { ledger, deliveries, attempts, excluded };
}

function request(some: Partial<SeenRequest>): SeenRequest {
  return {
    destinationId: 'dst_1',
    deliveryId: 'dlv_1',
    attempt: 1,
    arrivedAtMs: 0,
    bodyDigest: 'same',
    signatureHolds: true,
    isNameIntact: true,
    answer: 'ok',
    answeredAtMs: some.arrivedAtMs,
    ...some,
  };
}

function attempt(some: Partial<RecordedAttempt>): RecordedAttempt {
  return {
    deliveryId: 'dlv_1',
    number: 1,
    outcome: some.number === 1 ? 'failed' : 'succeeded',
    blame: some.number === 1 ? 'receiver' : null,
    error: null,
    startedAtMs: 0,
    endedAtMs: (some.startedAtMs ?? 0) + 10,
    ...some,
  };
}

function fault(some: Partial<Fault>): Fault {
  return {
    what: 'a fault',
    fromMs: 0,
    untilMs: 0,
    effects: new Set(['handover']),
    inHand: new Set(['dlv_1']),
    ...some,
  };
}

function excluded(some: Omit<ExcludedRequest, 'deliveryId'>): ExcludedRequest {
  return { deliveryId: 'dlv_1', ...some };
}

function accountOf({ ledger, ...record }: { ledger: Ledger } & FinalRecord): Account {
  return reconcile(ledger, record, rules);
}

function broken(promised: { ledger: Ledger } & FinalRecord): string[] {
  return brokenPromises(accountOf(promised)).map((line) => line.split(':')[0] ?? '');
}

describe('the ledger of emails', () => {
  const mail = (messageId: string, { unlisted = 0 } = {}) => ({
    recipient: 'ann@label.example',
    messageId,
    isInert: true,
    changeIds: unlisted > 0 ? [] : ['chg_1'],
    unlisted,
  });
  const givenMails = (...mails: ReturnType<typeof mail>[]) => {
    const promised = asPromised();
    promised.ledger.mailed.add('ann@label.example');
    promised.ledger.mails = mails;
    return promised;
  };
  const given = (...messageIds: string[]) => givenMails(...messageIds.map((messageId) => mail(messageId)));

  test('the ledger finds a change that was emailed twice or not at all, and accepts a retry with the same Message-ID', () => {
    expect(broken(given())).toEqual(['not emailed']);
    expect(broken(given('<1@x>', '<2@x>'))).toEqual(['emailed twice with different Message-IDs']);
    expect(broken(given('<1@x>', '<1@x>'))).toEqual([]);
    expect(accountOf(given('<1@x>', '<1@x>')).mails).toMatchObject({ expected: 1, mails: 2, repeats: 1 });
    // A long summary lists some changes and counts the others.
    expect(broken(givenMails(mail('<1@x>', { unlisted: 1 })))).toEqual([]);
  });
});

describe('the ledger', () => {
  test('the ledger finds nothing if every promise was kept', () => {
    expect(broken(asPromised())).toEqual([]);
  });

  test('the ledger finds a change that was accepted but not stored', () => {
    expect(broken({ ...asPromised(), deliveries: [], attempts: [] })).toEqual(['lost']);
  });

  test('the ledger finds a delivery that no receiver accepted, whatever the database says', () => {
    const promised = asPromised();
    promised.ledger.seen.pop();
    expect(broken(promised)).toEqual(['lost', 'stored as delivered, but not received']);
  });

  test('the ledger finds a delivery that was never settled, and one without an accepted change', () => {
    const { deliveries, ...rest } = asPromised();
    const pending = {
      ...(deliveries[0] as RecordedDelivery),
      externalId: 'ext-2',
      deliveryId: 'dlv_2',
      attemptCount: 0,
    };
    expect(broken({ ...rest, deliveries: [...deliveries, { ...pending, state: 'pending' }] })).toEqual([
      'unexpected',
      'never settled',
    ]);
  });

  test("the ledger finds a retry that is early by the database's or the receiver's time", () => {
    const byRecord = asPromised();
    byRecord.attempts[1] = attempt({ number: 2, startedAtMs: 2_100 });
    expect(broken(byRecord)).toEqual(['retried early']);
    const byReceiver = asPromised();
    byReceiver.ledger.seen[1] = request({ attempt: 2, arrivedAtMs: 2_090, answer: 'ok' });
    expect(broken(byReceiver)).toEqual(['retried early']);
  });

  test('the ledger finds a late retry, unless a fault explains it', () => {
    const late = asPromised();
    late.attempts[1] = attempt({ number: 2, startedAtMs: 4_000 });
    expect(broken(late)).toEqual(['retried late']);
    late.ledger.faults.push(fault({ effects: new Set(['outage']), fromMs: 2_000, untilMs: 3_500 }));
    expect(broken(late)).toEqual([]);
  });

  test('an outage does not excuse a late retry if it ended long before or began when the retry was already late', () => {
    for (const [fromMs, untilMs] of [
      [3_500, 3_900],
      [500, 900],
    ] as const) {
      const late = asPromised();
      late.attempts[1] = attempt({ number: 2, startedAtMs: 4_000 });
      late.ledger.faults.push(fault({ effects: new Set(['outage']), fromMs, untilMs }));
      expect(broken(late)).toEqual(['retried late']);
    }
  });

  test('the ledger allows time for another worker to claim a dead worker’s delivery, but not for other deliveries', () => {
    const late = asPromised();
    late.attempts[1] = attempt({ number: 2, startedAtMs: 25_000 });
    late.ledger.faults.push(fault({ fromMs: 2_050, untilMs: 2_050, inHand: new Set(['dlv_2']) }));
    expect(broken(late)).toEqual(['retried late']);
    late.ledger.faults.push(fault({ fromMs: 2_050, untilMs: 2_050 }));
    expect(broken(late)).toEqual([]);
  });

  test('the ledger finds a late first attempt, unless a fault or other deliveries of its destination explain it', () => {
    // The destination may be paused for the first of the delays (1 s and 2 s).
    const late = asPromised();
    for (const [index, startedAtMs] of [3_200, 5_220].entries()) {
      late.attempts[index] = attempt({ number: index + 1, startedAtMs });
      late.ledger.seen[index] = request({
        attempt: index + 1,
        arrivedAtMs: startedAtMs,
        answer: index === 0 ? 'failure' : 'ok',
      });
    }
    expect(broken(late)).toEqual(['first attempts late']);
    late.ledger.see(request({ deliveryId: 'dlv_2', arrivedAtMs: 1_000 }));
    expect(broken(late)).toEqual([]);
    late.ledger.seen.pop();
    late.ledger.faults.push(fault({ effects: new Set(['outage']), fromMs: 500, untilMs: 2_500 }));
    expect(broken(late)).toEqual([]);
  });

  test('a dead worker excuses a late first attempt only if it had two other deliveries of the destination in flight', () => {
    const late = asPromised();
    late.attempts[0] = attempt({ number: 1, startedAtMs: 3_200 });
    late.ledger.seen[0] = request({ attempt: 1, arrivedAtMs: 3_200, answer: 'failure' });
    late.attempts[1] = attempt({ number: 2, startedAtMs: 5_220 });
    late.ledger.seen[1] = request({ attempt: 2, arrivedAtMs: 5_220, answer: 'ok' });
    late.ledger.faults.push(
      fault({ effects: new Set(['handover']), fromMs: 500, untilMs: 500, inHand: new Set(['dlv_9']) }),
    );
    expect(broken(late)).toEqual(['first attempts late']);
    for (const number of [2, 3]) {
      const deliveryId = `dlv_${number}`;
      late.ledger.accept([{ externalId: `ext-${number}`, severity: 'critical', acceptedAtMs: 0 }]);
      late.deliveries.push({
        ...{ deliveryId, destinationId: 'dst_1', externalId: `ext-${number}`, changeId: `chg_${number}` },
        ...{ state: 'succeeded', attemptCount: 1 },
      });
      late.attempts.push(attempt({ deliveryId, outcome: 'succeeded', blame: null, startedAtMs: 2_900 }));
      late.ledger.see(request({ deliveryId, arrivedAtMs: 3_300 }));
    }
    late.ledger.faults.push(fault({ fromMs: 500, untilMs: 500, inHand: new Set(['dlv_2']) }));
    expect(broken(late)).toEqual(['first attempts late']);
    late.ledger.faults.push(fault({ fromMs: 500, untilMs: 500, inHand: new Set(['dlv_2', 'dlv_3']) }));
    expect(broken(late)).toEqual([]);
  });

  test('the ledger finds a request that was sent twice, unless its sender was stopped in between', () => {
    const twice = asPromised();
    twice.ledger.see(request({ attempt: 2, arrivedAtMs: 2_500, answer: 'ok' }));
    expect(broken(twice)).toEqual(['sent twice without a fault', 'duplicates']);
    twice.ledger.faults.push(fault({ fromMs: 2_200, untilMs: 2_200, inHand: new Set(['dlv_2']) }));
    expect(broken(twice)).toEqual(['sent twice without a fault']);
    twice.ledger.faults.push(fault({ fromMs: 2_200, untilMs: 2_200 }));
    expect(broken(twice)).toEqual([]);
  });

  test('the ledger allows one retry of a request whose connection the receiver closed, but not a second one', () => {
    const cut = asPromised();
    cut.ledger.see(request({ attempt: 3, arrivedAtMs: 20_000, answer: 'cut' }));
    cut.ledger.see(request({ attempt: 3, arrivedAtMs: 20_010, answer: 'cut' }));
    const repeated = () => accountOf(cut).unexplainedDuplicates.length;
    expect(repeated()).toBe(0);
    expect(broken(cut)).not.toContain('duplicates');
    cut.ledger.see(request({ attempt: 3, arrivedAtMs: 20_020, answer: 'ok' }));
    expect(repeated()).toBe(1);
  });

  test("a worker that takes over a dead worker's delivery may also retry a closed connection once, but not twice", () => {
    const cut = asPromised();
    cut.ledger.see(request({ attempt: 3, arrivedAtMs: 20_000, answer: 'cut' }));
    cut.ledger.see(request({ attempt: 3, arrivedAtMs: 20_010, answer: 'cut' }));
    cut.ledger.faults.push(fault({ fromMs: 20_020, untilMs: 20_020 }));
    cut.ledger.see(request({ attempt: 3, arrivedAtMs: 45_000, answer: 'cut' }));
    cut.ledger.see(request({ attempt: 3, arrivedAtMs: 45_010, answer: 'cut' }));
    const repeated = () => accountOf(cut).unexplainedDuplicates.length;
    expect(repeated()).toBe(0);
    cut.ledger.see(request({ attempt: 3, arrivedAtMs: 45_020, answer: 'ok' }));
    expect(repeated()).toBe(1);
  });

  test('an excluded request explains a duplicate, and the ledger shows whether a fault explains the exclusion', () => {
    const twice = asPromised();
    twice.ledger.see(request({ attempt: 2, arrivedAtMs: 8_000, answer: 'ok' }));
    twice.excluded.push(excluded({ attempt: 2, startedAtMs: 2_110, endedAtMs: 4_000, againAtMs: 7_000 }));
    expect(broken(twice)).toEqual([]);
    expect(accountOf(twice)).toMatchObject({ excludedAfterFaults: 0, excludedOtherwise: 1 });
    twice.ledger.faults.push(fault({ fromMs: 2_000, untilMs: 2_500, inHand: new Set() }));
    expect(accountOf(twice)).toMatchObject({ excludedAfterFaults: 1, excludedOtherwise: 0 });
  });

  test('the ledger allows an excluded request its delay, but no more', () => {
    const late = asPromised();
    late.attempts[1] = attempt({ number: 2, startedAtMs: 5_000 });
    late.excluded.push(excluded({ attempt: 2, startedAtMs: 2_120, endedAtMs: 3_000, againAtMs: 4_500 }));
    expect(broken(late)).toEqual([]);
    late.attempts[1] = attempt({ number: 2, startedAtMs: 5_600 });
    expect(broken(late)).toEqual(['retried late']);
  });

  test('the ledger finds gaps and repeats in the attempt numbers', () => {
    const gap = asPromised();
    gap.attempts[1] = attempt({ number: 3, startedAtMs: 2_115 });
    expect(broken(gap)).toEqual(['attempts numbered wrongly']);
    const repeat = asPromised();
    repeat.attempts.push(attempt({ number: 2, startedAtMs: 2_120 }));
    expect(broken(repeat)).toEqual(['attempts numbered wrongly']);
  });

  test('the ledger finds an attempt that counts as a failure although the receiver did not fail', () => {
    const wrong = asPromised();
    wrong.ledger.seen[0] = request({ attempt: 1, arrivedAtMs: 100, answer: 'none', answeredAtMs: undefined });
    expect(broken(wrong)).toEqual(['counted against a healthy receiver']);
  });

  test('the ledger finds changed bytes and invalid signatures', () => {
    const altered = asPromised();
    altered.ledger.seen[1] = request({ attempt: 2, arrivedAtMs: 2_120, bodyDigest: 'other', signatureHolds: false });
    expect(broken(altered)).toEqual(['body altered between attempts', 'signature refused']);
  });
});
