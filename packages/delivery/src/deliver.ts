import { explainChatFailure, type RequestedWait, requestedWait } from '@artist-watch/domain/channel/chat-response';
import {
  type AttemptVerdict,
  classifyAttempt,
  type SendResult,
} from '@artist-watch/domain/delivery/attempt-classification';
import { retryDelaysFor, TRIGGERS } from '@artist-watch/domain/delivery/delivery-state';
import { retryDelayMs } from '@artist-watch/domain/delivery/retry-schedule';
import type { CustomHeader } from '@artist-watch/domain/delivery/webhook-options';
import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import { skipPending } from '@artist-watch/persistence/destination/skip-undeliverable';
import { monotonicMs, sleep } from '@artist-watch/runtime/clock';
import { MicroBatch } from '@artist-watch/runtime/micro-batch';
import type pg from 'pg';
import type { DeliveryLog } from './delivery-log.js';
import { deliveryRequest, type WebhookRequest } from './delivery-request.js';
import type { DeliveryQueue } from './queue/delivery-queue.js';
import type { RequestSlots } from './request-slots.js';
import {
  type Claim,
  type ClaimRefusal,
  claimDeliveries,
  explainRefusals,
  type GivenBackClaim,
  giveBackClaims,
} from './store/claims.js';
import type { DueDelivery } from './store/release.js';
import { type SettledAttempt, type Settlement, type SettlementLimits, settleAttempts } from './store/settlement.js';

export interface SendReport {
  readonly result: SendResult;
  /** At most 4 KiB of the response, safe to display. Null if the body is empty. */
  readonly responseExcerpt: string | null;
  readonly proxy: string | null;
}

export interface DeliverOptions {
  readonly pool: pg.Pool;
  readonly queue: Pick<DeliveryQueue, 'add' | 'addLater'>;
  /** Never rejects. webhook-worker implements it (`adapters/egress/webhook-sender.ts`). */
  send(request: WebhookRequest): Promise<SendReport>;
  /** @throws if none of the configured keys can decrypt the secret. */
  openSecret(sealed: Uint8Array, destinationId: string): string;
  readonly slots: RequestSlots;
  readonly limits: SettlementLimits;
  readonly retryDelaysMs: readonly number[];
  /** `DASHBOARD_URL` */
  readonly dashboardUrl?: string | undefined;
  /** WEBHOOK_TIMEOUT */
  readonly timeoutMs: number;
  readonly log: DeliveryLog;
  readonly tracing: Tracing;
  /** The lease must be longer than any attempt. */
  readonly leaseMs: number;
  /** A claim older than this could expire during its request, so the request is not sent. */
  readonly claimIsFreshMs: number;
  /** The worker retries failed settlements until this signal aborts. */
  readonly signal: AbortSignal;
}

/** If the failure is on our side, deliveries are retried after this delay (docs/api/webhooks.md: every few seconds). */
const EXCLUDED_WAIT_MS = 2_000;
const EXCLUDED_SPREAD_MS = 2_000;
const MAX_RECHECK_MS = 5_000;
/** BullMQ can start a delayed job early by up to this much. */
const MAX_EARLY_MS = 1_000;
const SETTLE_RETRY_MS = 1_000;
const MAX_BATCH_ITEMS = 500;
/** Under load, larger batches save more than this wait costs. An idle worker does not wait. */
const BATCH_INTERVAL_MS = 10;

type Verdict = AttemptVerdict | ({ readonly kind: 'asked_to_wait' } & RequestedWait);

/**
 * Creates the handler for queue jobs. Concurrent jobs share SQL statements.
 *
 * ```
 * claim ──▶ settled or waiting: nothing to do   off: skipped   due later or claimed elsewhere: a delayed job
 *   ▼ claimed
 * slot ──▶ none free: claim given back, a delayed job
 *   ▼
 * send ──▶ egress or internal error, 429 from a chat platform: claim given back, not an attempt
 *   ▼ response, refused, timed out …
 * settle ──▶ succeeded or finally failed: done; deliveries that the settlement releases are queued
 *        ──▶ retry due: a delayed job
 * ```
 *
 * If Redis does not accept a job, the sweeper adds it later.
 *
 * @returns `deliver` rejects only while the database is unavailable. The queue then retries the job.
 */
export function createDeliver(options: DeliverOptions) {
  const { pool, queue, slots, limits, log, tracing, leaseMs, signal } = options;

  const batch = <Item, Result>(maxRunning: number, run: (items: readonly Item[]) => Promise<readonly Result[]>) =>
    new MicroBatch<Item, Result>({
      maxItems: MAX_BATCH_ITEMS,
      maxWaitMs: 0,
      minIntervalMs: BATCH_INTERVAL_MS,
      maxRunning,
      run,
    });
  const claims = batch<string, Claimed | undefined>(2, claimAll);
  const refusals = batch<string, ClaimRefusal>(2, (ids) => explainRefusals(pool, ids));
  const settlements = batch<UnsettledAttempt, SettledAttempt | undefined>(2, settleUntilWritten);
  const giveBacks = batch<GivenBackClaim, void>(1, async (items) => {
    await giveBackClaims(pool, items);
    return items.map(() => undefined);
  });

  /**
   * Skips in progress, by destination id. Concurrent callers share one, because each skip reads the destination's whole
   * backlog.
   */
  const runningSkips = new Map<string, Promise<void>>();
  /** Discord can request a pause for all our webhooks. */
  let discordPausedUntilMs = 0;

  return {
    async deliver(deliveryIds: readonly string[]): Promise<void> {
      // Wait for all deliveries, because otherwise a retry of the job could overlap with this run.
      const results = await Promise.allSettled(deliveryIds.map(handle));
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },

    async stop(): Promise<void> {
      await Promise.all([claims.stop(), refusals.stop(), settlements.stop(), giveBacks.stop()]);
    },
  };

  async function claimAll(ids: readonly string[]): Promise<readonly (Claimed | undefined)[]> {
    const requestedAtMs = monotonicMs();
    const claimed = await claimDeliveries(pool, ids, leaseMs);
    const receivedAtMs = monotonicMs();
    return ids.map((id) => {
      const claim = claimed.get(id);
      // A batch can contain a delivery id twice, but claims the delivery only once.
      claimed.delete(id);
      return claim && { claim, requestedAtMs, receivedAtMs };
    });
  }

  async function handle(deliveryId: string): Promise<void> {
    const claimed = await claims.add(deliveryId);
    if (!claimed) return handleRefusal(await refusals.add(deliveryId));
    const { claim } = claimed;
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
      const outcome = await attempt(claimed);
      set({ 'delivery.outcome': outcome });
      if (outcome !== 'succeeded') fail(outcome);
    });
  }

  async function handleRefusal(refusal: ClaimRefusal): Promise<void> {
    switch (refusal.kind) {
      case 'nothing_due':
        return;
      case 'undeliverable':
        return skip(refusal.destinationId);
      case 'later':
        // If BullMQ started this job early, it has the id of this attempt, so the new job must not use it.
        return addLater(refusal.due, refusal.waitMs, refusal.waitMs > MAX_EARLY_MS);
      case 'claimed_elsewhere':
        return addLater(refusal.due, Math.min(refusal.waitMs, MAX_RECHECK_MS), false);
    }
  }

  async function attempt(claimed: Claimed): Promise<Verdict['kind'] | 'no_slot'> {
    const { claim } = claimed;
    const pausedMs = claim.destinationKind === 'discord' ? discordPausedUntilMs - monotonicMs() : 0;
    if (pausedMs > 0) return giveBack(claim, 'asked_to_wait', pausedMs, false);
    const user = { accountId: claim.accountId, target: hostAndPort(claim.url) };
    if (!(await slots.enter(user))) return giveBack(claim, 'no_slot', 1_000 * Math.random(), false);

    const startedAtMs = monotonicMs();
    let report: SendReport;
    try {
      report = await prepareAndSend(claimed);
    } finally {
      slots.leave(user);
    }
    const endedAtMs = monotonicMs();
    const durationMs = endedAtMs - startedAtMs;
    const verdict = classifyReport(claim, report, options.timeoutMs);
    switch (verdict.kind) {
      case 'asked_to_wait':
        if (verdict.isGlobal) discordPausedUntilMs = Math.max(discordPausedUntilMs, endedAtMs + verdict.waitMs);
        log.waitRequested(claim, verdict);
        return giveBack(claim, verdict.kind, verdict.waitMs, true);
      case 'not_an_attempt': {
        // Spread out the retries, because many deliveries fail together.
        const waitMs = Math.round(EXCLUDED_WAIT_MS + Math.random() * EXCLUDED_SPREAD_MS);
        log.attemptExcluded(claim, verdict, { proxy: report.proxy, durationMs: Math.round(durationMs), waitMs });
        return giveBack(claim, verdict.kind, waitMs, false);
      }
      case 'succeeded':
      case 'failed': {
        const decided = decideSettlement(claim, verdict, options.retryDelaysMs);
        const settlement = { ...decided, responseExcerpt: report.responseExcerpt, durationMs, endedAtMs };
        const settled = await tracing.span('delivery.settle', {}, () => settlements.add(settlement));
        if (settled) log.attemptSettled(claim, settlement, settled, report.proxy);
        else log.attemptSuperseded(claim);
        if (settled && settled.retryInMs !== null) await addLater(nextAttempt(claim), settled.retryInMs, true);
        return verdict.kind;
      }
    }
  }

  async function prepareAndSend({ claim, requestedAtMs, receivedAtMs }: Claimed): Promise<SendReport> {
    let secret: string | null;
    let headers: readonly CustomHeader[];
    try {
      secret = claim.sealedSecret && options.openSecret(claim.sealedSecret, claim.destinationId);
      headers = claim.sealedHeaders ? JSON.parse(options.openSecret(claim.sealedHeaders, claim.destinationId)) : [];
    } catch (error) {
      log.failed('secret.open', error);
      return internalError(
        'The signing secret could not be decrypted. Set ENCRYPTION_KEY or ENCRYPTION_KEYS_RETIRED to the key that encrypted it.',
      );
    }
    if (secret === null && claim.destinationKind !== 'webhook') return internalError('The channel has no URL.');
    const nowMs = monotonicMs();
    // Measure the claim's age from the start of the query, because a freeze may have delayed the query's result.
    if (nowMs - requestedAtMs > options.claimIsFreshMs)
      return internalError('The claim was too old to start a request.');
    const atMs = claim.claimedAtMs + nowMs - receivedAtMs;
    return options.send(deliveryRequest(claim, secret, headers, atMs, options.dashboardUrl));
  }

  /** Keeps retrying while the database is unavailable, because another worker would repeat an unsettled attempt. */
  async function settleUntilWritten(
    items: readonly UnsettledAttempt[],
  ): Promise<readonly (SettledAttempt | undefined)[]> {
    for (;;) {
      try {
        const nowMs = monotonicMs();
        const batch = items.map(({ endedAtMs, ...item }) => ({ ...item, endedAgoMs: nowMs - endedAtMs }));
        const { results, longRuns, released } = await settleAttempts(pool, batch, limits);
        void queue.add(released).catch((error: unknown) => log.failed('queue.add', error));
        for (const longRun of longRuns) {
          log.longRun(longRun);
          if (longRun.kind === 'warned') continue;
          void skip(longRun.destinationId).catch((error) => log.failed('skip', error));
        }
        return results;
      } catch (error) {
        log.failed('record.settle', error);
        if (signal.aborted) throw error;
        await sleep(SETTLE_RETRY_MS);
      }
    }
  }

  function skip(destinationId: string): Promise<void> {
    const run =
      runningSkips.get(destinationId) ??
      skipPending(pool, destinationId).finally(() => runningSkips.delete(destinationId));
    runningSkips.set(destinationId, run);
    return run;
  }

  async function giveBack<Outcome>(
    claim: Claim,
    outcome: Outcome,
    waitMs: number,
    pausesDestination: boolean,
  ): Promise<Outcome> {
    const { deliveryId, claimedUntil } = claim;
    await giveBacks.add({ deliveryId, claimedUntil, delayMs: waitMs, pausesDestination });
    // The release loop will release first attempts again, so they need no delayed job.
    const waitsAgain = pausesDestination && claim.attemptInRound === 1 && TRIGGERS[claim.trigger].counted;
    if (!waitsAgain) await addLater({ ...nextAttempt(claim), attemptNumber: claim.attemptNumber }, waitMs, false);
    return outcome;
  }

  async function addLater(delivery: DueDelivery, delayMs: number, isRetry: boolean): Promise<void> {
    await queue.addLater(delivery, { delayMs, isRetry }).catch((error: unknown) => log.failed('queue.add', error));
  }
}

interface Claimed {
  readonly claim: Claim;
  readonly requestedAtMs: number;
  readonly receivedAtMs: number;
}

type UnsettledAttempt = Omit<Settlement, 'endedAgoMs'> & { readonly endedAtMs: number };

function nextAttempt({ deliveryId, attemptNumber, attemptInRound }: Claim): DueDelivery {
  return { deliveryId, attemptNumber: attemptNumber + 1, roundStart: attemptNumber - attemptInRound };
}

function hostAndPort(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function decideSettlement(
  { deliveryId, destinationId, attemptNumber, attemptInRound, trigger, changeId }: Claim,
  verdict: Extract<AttemptVerdict, { kind: 'succeeded' | 'failed' }>,
  delaysMs: readonly number[],
): Omit<Settlement, 'responseExcerpt' | 'durationMs' | 'endedAgoMs'> {
  const attempt = { deliveryId, destinationId, attemptNumber, counts: TRIGGERS[trigger].counted };
  if (verdict.kind === 'succeeded') {
    const { kind: outcome, status: statusCode } = verdict;
    const none = { blame: null, error: null, reason: null, retryDelayMs: null };
    return { ...attempt, ...none, outcome, statusCode, nextState: 'succeeded' };
  }
  const { kind: outcome, blame, status: statusCode = null, error, reason } = verdict;
  // Test changes are retried, but destination tests are not.
  const isTestChange = trigger === 'test' && changeId !== null;
  const delayMs = retryDelayMs(attemptInRound, retryDelaysFor(isTestChange ? 'change' : trigger, delaysMs));
  const nextState = delayMs === null ? 'failed' : 'pending';
  return { ...attempt, outcome, blame, statusCode, error, reason, nextState, retryDelayMs: delayMs };
}

function classifyReport(
  { destinationKind: kind, url }: Claim,
  { result, responseExcerpt: body }: SendReport,
  timeoutMs: number,
): Verdict {
  const verdict = classifyAttempt(result, timeoutMs);
  if (kind === 'webhook' || result.kind !== 'answered' || verdict.kind !== 'failed') return verdict;
  const { status, retryAfter } = result;
  const wait = requestedWait(kind, { host: hostAndPort(url), status, retryAfter, body });
  return wait ? { kind: 'asked_to_wait', ...wait } : explainChatFailure(kind, verdict, body);
}

function internalError(message: string): SendReport {
  return { result: { kind: 'internal_error', message }, responseExcerpt: null, proxy: null };
}
