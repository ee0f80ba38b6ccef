import { explainChatFailure, type RequestedWait, requestedWait } from '@artist-watch/domain/channel/chat-response';
import { isChat } from '@artist-watch/domain/channel/destination-kind';
import {
  type AttemptVerdict,
  classifyAttempt,
  type SendResult,
} from '@artist-watch/domain/delivery/attempt-classification';
import { retryDelaysFor, TRIGGERS } from '@artist-watch/domain/delivery/delivery-state';
import { retryDelayMs } from '@artist-watch/domain/delivery/retry-schedule';
import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import { skipPending } from '@artist-watch/persistence/destination/skip-undeliverable';
import { sleep } from '@artist-watch/runtime/clock';
import { MicroBatch } from '@artist-watch/runtime/micro-batch';
import type pg from 'pg';
import type { DeliveryLog } from './delivery-log.js';
import { deliveryRequest, type WebhookRequest } from './delivery-request.js';
import type { DeliveryQueue } from './queue/delivery-queue.js';
import type { RequestSlots, SlotUser } from './request-slots.js';
import {
  type Claim,
  type ClaimRefusal,
  claimDeliveries,
  explainRefusals,
  type GivenBackClaim,
  giveBackClaims,
} from './store/claims.js';
import type { DueDelivery } from './store/release.js';
import {
  type LongRun,
  type SettledAttempt,
  type Settlement,
  type SettlementLimits,
  settleAttempts,
} from './store/settlement.js';

/** One request through the egress proxies. */
export interface SendReport {
  readonly result: SendResult;
  /** At most 4 KiB of the response body, safe to show; null for an empty body. */
  readonly responseExcerpt: string | null;
  /** The egress proxy that carried it, without credentials. */
  readonly proxy: string | null;
}

export interface DeliverOptions {
  readonly pool: pg.Pool;
  readonly queue: Pick<DeliveryQueue, 'add' | 'addLater'>;
  /** Makes one request; never rejects, never sends twice. */
  send(request: WebhookRequest): Promise<SendReport>;
  /** @throws if the secret was sealed with a key that is not known here. */
  openSecret(sealed: Uint8Array, destinationId: string): string;
  readonly slots: RequestSlots;
  readonly limits: SettlementLimits;
  readonly retryDelaysMs: readonly number[];
  /** WEBHOOK_TIMEOUT */
  readonly timeoutMs: number;
  readonly log: DeliveryLog;
  readonly tracing: Tracing;
  /** A clock that never steps, in milliseconds from an arbitrary start. */
  monotonicMs(): number;
  /** From 0 to 1; spreads deliveries that wait for the same fault to pass. */
  random(): number;
  /** The lease of a claim: longer than an attempt can take. */
  readonly leaseMs: number;
  /** A claim that was requested longer ago is not used: another worker may have it before the request would end. */
  readonly claimIsFreshMs: number;
  /** Ends the waiting for a database that is away. */
  readonly signal: AbortSignal;
}

/** How long a delivery waits if the fault is ours (docs/reference/webhooks.md: a few seconds). */
const OUR_FAULT_MS = 2_000;
const OUR_FAULT_SPREAD_MS = 2_000;
/** A delivery that another worker has claimed is looked up again after this at the latest. */
const CLAIMED_ELSEWHERE_MS = 5_000;
const A_MOMENT_MS = 1_000;
const SETTLE_AGAIN_MS = 1_000;
const BATCH_ITEMS = 500;
/** A second statement starts beside one that takes longer than this; until then larger batches cost less. */
const BESIDE_AFTER_MS = 10;

/** A verdict, or the wait that a chat platform asked for. */
type Verdict = AttemptVerdict | ({ readonly kind: 'asked_to_wait' } & RequestedWait);

/**
 * Makes the handler of one job: claims its deliveries in one statement, sends them concurrently, and settles each as it
 * ends. The statements of concurrent jobs are shared.
 *
 * ```
 * claim ──▶ settled or waiting: nothing to do   off: skipped   due later, claimed elsewhere: a delayed job
 *   ▼ claimed
 * slot ──▶ none free: given back, a delayed job
 *   ▼
 * send ──▶ egress or internal fault, 429 of a chat platform: given back, a delayed job or waiting again; no attempt
 *   ▼ answered, refused, timed out …
 * settle ──▶ succeeded or failed for good: done; the deliveries that the statement released are added to the queue
 *        ──▶ to be tried again: a delayed job
 * ```
 *
 * What Redis does not accept is found by the sweeper.
 *
 * @returns `deliver` rejects only while the database is away; the queue repeats the job.
 */
export function createDeliver(options: DeliverOptions) {
  const { pool, queue, slots, limits, log, tracing, monotonicMs, random, leaseMs, signal } = options;

  const batch = <Item, Result>(maxRunning: number, run: (items: readonly Item[]) => Promise<readonly Result[]>) =>
    new MicroBatch<Item, Result>({
      maxItems: BATCH_ITEMS,
      maxWaitMs: 0,
      maxWaitWhileRunningMs: BESIDE_AFTER_MS,
      maxRunning,
      run,
    });
  const claims = batch<string, ClaimResult>(2, claimAll);
  const settlements = batch<SettlementToMake, SettledAttempt | undefined>(2, settleUntilWritten);
  const givenBack = batch<GivenBackClaim, void>(1, async (items) => {
    await giveBackClaims(pool, items);
    return items.map(() => undefined);
  });

  /** When each destination's skipping ends: each run goes through its whole backlog, and callers share one. */
  const skips = new Map<string, Promise<void>>();
  /** Discord asked to wait with every message until then, on the monotonic clock. */
  let discordPausedUntilMs = 0;

  return {
    async deliver(deliveryIds: readonly string[]): Promise<void> {
      // Each to its end: a job whose repetition began beside its first run would not be waited for.
      const ended = await Promise.allSettled(deliveryIds.map(async (id) => handle(id, await claims.add(id))));
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
    },

    /** Resolves when every statement has ended. */
    async stop(): Promise<void> {
      await Promise.all([claims.stop(), settlements.stop(), givenBack.stop()]);
    },
  };

  async function claimAll(ids: readonly string[]): Promise<readonly ClaimResult[]> {
    const askedAtMs = monotonicMs();
    const claimed = await claimDeliveries(pool, ids, leaseMs);
    const answeredAtMs = monotonicMs();
    const refused = ids.filter((id) => !claimed.has(id));
    // The claims that were given are used, also if the database is away by now.
    const refusals =
      refused.length > 0
        ? await explainRefusals(pool, refused).catch(
            (error: unknown): Pick<Map<string, Unexplained>, 'get'> => ({
              get: () => ({ kind: 'unexplained', error }),
            }),
          )
        : undefined;
    return ids.map((id): ClaimResult => {
      const claim = claimed.get(id);
      // An id that was asked for twice is claimed once.
      claimed.delete(id);
      if (claim) return { kind: 'claimed', claim, askedAtMs, answeredAtMs };
      return refusals?.get(id) ?? { kind: 'nothing_due' };
    });
  }

  async function handle(deliveryId: string, result: ClaimResult): Promise<void> {
    switch (result.kind) {
      case 'unexplained':
        throw result.error;
      case 'nothing_due':
        return;
      case 'undeliverable':
        await skip(result.destinationId);
        return;
      case 'later':
        // Its retry has a job already, unless it is this one, which came a moment too early.
        await addLater(result.due, result.waitMs, result.waitMs > A_MOMENT_MS);
        return;
      case 'claimed_elsewhere':
        await addLater(result.due, Math.min(result.waitMs, CLAIMED_ELSEWHERE_MS), false);
        return;
      case 'claimed': {
        const { claim } = result;
        if (claim.isTakenOver) log.takenOver(claim);
        const attributes = {
          'delivery.id': deliveryId,
          'delivery.attempt': claim.attemptNumber,
          'delivery.trigger': claim.trigger,
          'change.id': claim.changeId ?? undefined,
          'destination.id': claim.destinationId,
          'account.id': claim.accountId,
        };
        const span = { kind: 'consumer', parent: claim.traceparent, attributes } as const;
        await tracing.span('delivery.attempt', span, async ({ set, fail }) => {
          const outcome = await attempt(result);
          set({ 'delivery.outcome': outcome });
          if (outcome !== 'succeeded') fail(outcome);
        });
      }
    }
  }

  /** Makes one attempt. @returns its outcome, for the trace. */
  async function attempt(claimed: Claimed): Promise<Verdict['kind'] | 'no_slot'> {
    const { claim } = claimed;
    const pausedMs = claim.destinationKind === 'discord' ? discordPausedUntilMs - monotonicMs() : 0;
    if (pausedMs > 0) return giveBack(claim, 'asked_to_wait', pausedMs, false);
    const user: SlotUser = { accountId: claim.accountId, target: targetOf(claim.url) };
    if (!(await slots.enter(user))) return giveBack(claim, 'no_slot', 1_000 * random(), false);

    const startedAtMs = monotonicMs();
    const report = await prepareAndSend(claimed).finally(() => slots.leave(user));
    const endedAtMs = monotonicMs();
    const durationMs = endedAtMs - startedAtMs;
    const verdict = verdictOn(claim, report, options.timeoutMs);
    switch (verdict.kind) {
      case 'asked_to_wait':
        if (verdict.isGlobal) discordPausedUntilMs = Math.max(discordPausedUntilMs, endedAtMs + verdict.waitMs);
        log.waitAsked(claim, verdict);
        return giveBack(claim, verdict.kind, verdict.waitMs, true);
      case 'not_an_attempt': {
        const waitMs = OUR_FAULT_MS + random() * OUR_FAULT_SPREAD_MS;
        log.attemptExcluded({ claim, verdict, proxy: report.proxy, durationMs, waitMs });
        return giveBack(claim, verdict.kind, waitMs, false);
      }
      case 'succeeded':
      case 'failed':
        await settle(settlementOf(claim, verdict, options.retryDelaysMs), { claim, report, durationMs, endedAtMs });
        return verdict.kind;
    }
  }

  async function prepareAndSend({ claim, askedAtMs, answeredAtMs }: Claimed): Promise<SendReport> {
    let secret: string | null;
    try {
      secret = claim.sealedSecret && options.openSecret(claim.sealedSecret, claim.destinationId);
    } catch (error) {
      log.trouble('secret.open', error);
      return ourFault('The secret could not be opened: is ENCRYPTION_KEY the one that it was sealed with?');
    }
    if (secret === null && isChat(claim.destinationKind)) return ourFault('This channel has no address.');
    const nowMs = monotonicMs();
    // A process that was frozen may no longer own the delivery, also if the result of its claim lay in a socket meanwhile.
    if (nowMs - askedAtMs > options.claimIsFreshMs)
      return ourFault('The worker was stopped for longer than its claim.');
    return options.send(deliveryRequest(claim, secret, claim.claimedAtMs + nowMs - answeredAtMs));
  }

  async function settle(decided: DecidedSettlement, made: MadeAttempt): Promise<void> {
    const { claim, report, durationMs, endedAtMs } = made;
    const settlement = { ...decided, responseExcerpt: report.responseExcerpt, durationMs, endedAtMs };
    const settled = await tracing.span('delivery.settle', {}, () => settlements.add(settlement));
    if (!settled) {
      log.attemptSuperseded(claim);
      return;
    }
    log.attemptSettled({ claim, settlement, settled, proxy: report.proxy });
    if (settled.retryInMs === null) return;
    await addLater(nextAttempt(claim), settled.retryInMs, true);
  }

  /**
   * While the database is away, the worker keeps its settlements and tries again, or the receiver would get the same attempt
   * twice. A second try is harmless: if only the response was lost, nothing is left to settle.
   */
  async function settleUntilWritten(
    items: readonly SettlementToMake[],
  ): Promise<readonly (SettledAttempt | undefined)[]> {
    for (;;) {
      try {
        const nowMs = monotonicMs();
        const batch = items.map(({ endedAtMs, ...item }) => ({ ...item, endedAgoMs: nowMs - endedAtMs }));
        const { results, longRuns, released } = await settleAttempts(pool, batch, limits);
        void queue.add(released).catch((error: unknown) => log.trouble('queue.add', error));
        for (const longRun of longRuns) report(longRun);
        return results;
      } catch (error) {
        log.trouble('record.settle', error);
        if (signal.aborted) throw error;
        await sleep(SETTLE_AGAIN_MS);
      }
    }
  }

  function report(longRun: LongRun): void {
    log.longRun(longRun);
    if (longRun.kind === 'switched_off') void skip(longRun.destinationId).catch((error) => log.trouble('skip', error));
  }

  function skip(destinationId: string): Promise<void> {
    const run = skips.get(destinationId) ?? skipPending(pool, destinationId).finally(() => skips.delete(destinationId));
    skips.set(destinationId, run);
    return run;
  }

  async function giveBack<Outcome>(
    claim: Claim,
    outcome: Outcome,
    waitMs: number,
    pausesDestination: boolean,
  ): Promise<Outcome> {
    const { deliveryId, claimedUntil } = claim;
    await givenBack.add({ deliveryId, claimedUntil, delayMs: waitMs, pausesDestination });
    // The release loop adds a first attempt that waits again.
    const waitsAgain = pausesDestination && claim.attemptInRound === 1 && TRIGGERS[claim.trigger].counted;
    if (!waitsAgain) await addLater({ ...nextAttempt(claim), attemptNumber: claim.attemptNumber }, waitMs, false);
    return outcome;
  }

  async function addLater(delivery: DueDelivery, delayMs: number, isRetry: boolean): Promise<void> {
    await queue.addLater(delivery, { delayMs, isRetry }).catch((error: unknown) => log.trouble('queue.add', error));
  }
}

type ClaimResult = Claimed | ClaimRefusal | Unexplained;

/** It was refused, and the database was away before it said why. */
interface Unexplained {
  readonly kind: 'unexplained';
  readonly error: unknown;
}

interface Claimed {
  readonly kind: 'claimed';
  readonly claim: Claim;
  /** When the claim was requested and answered, on the monotonic clock: it is no older than the first. */
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
}

type SettlementToMake = Omit<Settlement, 'endedAgoMs'> & { readonly endedAtMs: number };
type DecidedSettlement = Omit<Settlement, 'responseExcerpt' | 'durationMs' | 'endedAgoMs'>;

interface MadeAttempt {
  readonly claim: Claim;
  readonly report: SendReport;
  readonly durationMs: number;
  readonly endedAtMs: number;
}

function nextAttempt({ deliveryId, attemptNumber, attemptInRound }: Claim): DueDelivery {
  return { deliveryId, attemptNumber: attemptNumber + 1, roundStart: attemptNumber - attemptInRound };
}

/** The host and port that requests to a URL go to. */
function targetOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** What the database is to write of an attempt, and what follows for its delivery. */
export function settlementOf(
  { deliveryId, destinationId, attemptNumber, attemptInRound, trigger }: Claim,
  verdict: Extract<AttemptVerdict, { kind: 'succeeded' | 'failed' }>,
  delaysMs: readonly number[],
): DecidedSettlement {
  const attempt = { deliveryId, destinationId, attemptNumber, counts: TRIGGERS[trigger].counted };
  if (verdict.kind === 'succeeded') {
    const { kind: outcome, status: statusCode } = verdict;
    const none = { blame: null, error: null, reason: null, retryDelayMs: null };
    return { ...attempt, ...none, outcome, statusCode, nextState: 'succeeded' };
  }
  const { kind: outcome, blame, status: statusCode = null, error, reason } = verdict;
  const delayMs = retryDelayMs(attemptInRound, retryDelaysFor(trigger, delaysMs));
  const nextState = delayMs === null ? 'failed' : 'pending';
  return { ...attempt, outcome, blame, statusCode, error, reason, nextState, retryDelayMs: delayMs };
}

function verdictOn(
  { destinationKind: kind, url }: Claim,
  { result, responseExcerpt: body }: SendReport,
  timeoutMs: number,
): Verdict {
  const verdict = classifyAttempt(result, timeoutMs);
  if (!isChat(kind) || result.kind !== 'answered' || verdict.kind !== 'failed') return verdict;
  const asked = requestedWait(kind, {
    host: targetOf(url),
    status: result.status,
    retryAfter: result.retryAfter,
    body,
  });
  return asked ? { kind: 'asked_to_wait', ...asked } : explainChatFailure(kind, verdict, body);
}

/** A request that was not made, for a reason of our own. */
function ourFault(message: string): SendReport {
  return { result: { kind: 'internal_error', message }, responseExcerpt: null, proxy: null };
}
