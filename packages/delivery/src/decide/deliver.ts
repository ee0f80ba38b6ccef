import type { DeliveryJob } from '@artist-watch/contracts/jobs';
import { type AskedWait, askedToWait, explainChatFailure } from '@artist-watch/domain/channel/chat-answer';
import { isChat } from '@artist-watch/domain/channel/destination-kind';
import { type AttemptVerdict, classifyAttempt } from '@artist-watch/domain/delivery/attempt-classification';
import type { Deferral } from '../store/deferral.js';
import type { AskedPauses } from './asked-pauses.js';
import { deliveryRequest } from './delivery-request.js';
import type { DestinationShares, EndedRequest } from './destination-shares.js';
import type {
  Claim,
  DeliveryClaims,
  DeliveryLog,
  Monotonic,
  RetryRoom,
  SecretOpener,
  SendReport,
  TraceAttempt,
  WebhookSender,
} from './ports.js';
import { type EndedAttempt, settlementOf } from './settlement-of.js';

/** What is to become of the job that asked for the delivery. */
export type JobOutcome =
  /**
   * There is nothing more for this job to do; it is removed. `afterwards` is for what brings the delivery back to the
   * queue: as long as the job is there, the queue ignores another one for its delivery. Lost with the process, the sweep
   * finds the delivery.
   */
  | { readonly kind: 'done'; afterwards?(): Promise<void> }
  /** It is to be taken again after `delayMs`: BullMQ's own backoff puts it off. */
  | { readonly kind: 'retry'; readonly delayMs: number; readonly reason: string };

export interface DeliverDependencies {
  readonly record: DeliveryClaims;
  readonly sender: WebhookSender;
  readonly secrets: SecretOpener;
  readonly shares: DestinationShares;
  readonly pauses: AskedPauses;
  readonly retries: RetryRoom;
  readonly log: DeliveryLog;
  readonly trace: TraceAttempt;
  readonly monotonic: Monotonic;
  /** From 0 to 1; spreads what waits for the same trouble to pass. */
  random(): number;
  readonly retryDelaysMs: readonly number[];
  /**
   * A claim that was asked for longer ago than this is not sent on: another worker may have it by the time the request
   * would end.
   */
  readonly claimIsFreshMs: number;
}

/** How long a delivery waits when the trouble is ours (docs/reference/webhooks.md: a few seconds). */
const OUR_TROUBLE_MS = 2_000;
const OUR_TROUBLE_SPREAD_MS = 2_000;
/** How long a delivery waits at most that somebody else has in hand. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Handles one job of the queue. What cannot go now waits in the record (deferred), and the relay brings it back.
 *
 * ```
 * share full ──▶ deferred for a moment, done
 * claim: settled ──▶ done      off ──▶ skipped, done      paced ──▶ deferred until its turn, done
 *   │    early, taken ──▶ retry at its time
 *   ▼ claimed
 * send ──▶ egress or internal: claim released, deferred for a few seconds, done; no attempt
 *   │      a chat platform asks to wait (429): the same, for as long as it asks
 *   │
 *   ▼ answered, refused, timed out …
 * settle ──▶ succeeded, failed for good, superseded: done
 *        ──▶ to be tried again: retry, by the queue's own backoff (or deferred to its time: the queue holds enough)
 * ```
 *
 * @throws only what the record throws while it is away; the queue hands the job out again.
 */
export function createDeliver(dependencies: DeliverDependencies) {
  const { record, sender, secrets, shares, pauses, retries, log, trace, monotonic } = dependencies;

  return async function deliver({ deliveryId, destinationId }: DeliveryJob): Promise<JobOutcome> {
    const turn = shares.enter(destinationId, monotonic.nowMs());
    if (turn.kind === 'full') return deferred(deliveryId, { delayMs: turn.waitMs });
    let ended: EndedRequest | undefined;
    try {
      const claim = await record.claim(deliveryId);
      switch (claim.kind) {
        case 'settled':
          return { kind: 'done' };
        case 'undeliverable':
          await record.skipUndeliverable(claim.destinationId);
          return { kind: 'done' };
        case 'paced':
          return deferred(deliveryId, 'pace');
        case 'early':
          return { kind: 'retry', delayMs: claim.waitMs, reason: claim.kind };
        case 'taken':
          // Whoever has it may settle it long before that, and then its next time may come sooner.
          return { kind: 'retry', delayMs: Math.min(claim.waitMs, LOOK_AGAIN_MS), reason: claim.kind };
        case 'claimed': {
          const { outcome } = await trace(claim, () =>
            attempt(claim, (request) => {
              ended = request;
            }),
          );
          return outcome;
        }
      }
    } finally {
      shares.leave(destinationId, ended, monotonic.nowMs());
    }
  };

  function deferred(deliveryId: string, until: Deferral['until']): JobOutcome {
    return { kind: 'done', afterwards: () => record.defer(deliveryId, until) };
  }

  async function attempt(claim: Claim, onEnded: (request: EndedRequest) => void): Promise<Attempted> {
    const startedAtMs = monotonic.nowMs();
    const pausedMs = pauses.remainingMs(claim, startedAtMs);
    if (pausedMs > 0) return { kind: 'not_an_attempt', outcome: await putOff(claim, pausedMs) };
    const report = await send(claim, startedAtMs);
    const endedAtMs = monotonic.nowMs();
    const durationMs = endedAtMs - startedAtMs;
    const verdict = verdictOn(claim, report);
    const { kind } = verdict;
    if (kind === 'asked_to_wait') {
      pauses.asked(claim, verdict, endedAtMs);
      log.waitAsked(claim, verdict);
      return { kind: 'not_an_attempt', outcome: await putOff(claim, verdict.waitMs) };
    }
    if (kind === 'not_an_attempt') return { kind, outcome: await exclude(claim, verdict, report.proxy, durationMs) };
    // Only what the destination itself took makes it a quick or a slow one.
    if (!report.wasHeldUp) onEnded({ succeeded: kind === 'succeeded', tookMs: durationMs });
    const ended = { claim, verdict, responseExcerpt: report.responseExcerpt, durationMs, endedAtMs };
    return { kind, outcome: await settle(ended, report.proxy) };
  }

  async function send(claim: Claim, takenAtMs: number): Promise<SendReport> {
    let secret: string | null;
    try {
      secret = claim.sealedSecret && secrets.open(claim.sealedSecret, claim.destinationId);
    } catch (error) {
      log.trouble('secret.open', error);
      return ours('The secret could not be opened: is ENCRYPTION_KEY the one that it was sealed with?');
    }
    if (secret === null && isChat(claim.destinationKind)) return ours('This channel has no address.');
    const nowMs = monotonic.nowMs();
    // A process that was frozen since it asked for its claim, also while the answer lay in its socket, may no longer own
    // the delivery. The record's answer may be younger than that, never older: to be sure, all of the time counts.
    if (nowMs - claim.askedAtMs > dependencies.claimIsFreshMs) {
      return ours('The worker was stopped for longer than its claim.');
    }
    // From when the answer was read, so that it never lies in the future; it is late by less than a claim is fresh.
    return sender.send(deliveryRequest(claim, secret, claim.claimedAtMs + nowMs - takenAtMs));
  }

  async function settle(ended: EndedAttempt, proxy: string | null): Promise<JobOutcome> {
    const { claim } = ended;
    const settlement = settlementOf(ended, dependencies.retryDelaysMs, retries.hasRoom(claim.destinationId));
    const result = await record.settle(settlement);
    if (result.kind === 'superseded') {
      log.attemptSuperseded(claim);
      return { kind: 'done' };
    }
    log.attemptSettled({ claim, settlement, result, proxy });
    for (const notifications of result.notifications) log.destinationNotified(claim, notifications);
    if (result.notifications.some(({ kind }) => kind === 'switched_off'))
      await record.skipUndeliverable(result.destinationId);
    const { next, reason } = settlement;
    if (next.state !== 'pending' || !next.inQueue || result.retryInMs === null) return { kind: 'done' };
    return { kind: 'retry', delayMs: result.retryInMs, reason: reason ?? 'failed' };
  }

  /** Spread a little, or all that waits would come back at once. */
  async function putOff(claim: Claim, waitMs: number): Promise<JobOutcome> {
    await record.release(claim, waitMs + dependencies.random() * OUR_TROUBLE_SPREAD_MS);
    return { kind: 'done' };
  }

  async function exclude(
    claim: Claim,
    verdict: AttemptVerdict & { kind: 'not_an_attempt' },
    proxy: string | null,
    durationMs: number,
  ): Promise<JobOutcome> {
    const waitMs = OUR_TROUBLE_MS + dependencies.random() * OUR_TROUBLE_SPREAD_MS;
    const { blame, error, reason } = verdict;
    await record.release(claim, waitMs);
    log.attemptExcluded({ claim, blame, error, reason, proxy, durationMs, waitMs });
    return { kind: 'done' };
  }
}

interface Attempted {
  readonly kind: AttemptVerdict['kind'];
  readonly outcome: JobOutcome;
}

function verdictOn(
  { destinationKind }: Claim,
  { result, responseExcerpt }: SendReport,
): AttemptVerdict | ({ readonly kind: 'asked_to_wait' } & AskedWait) {
  const verdict = classifyAttempt(result);
  if (!isChat(destinationKind) || result.kind !== 'answered' || verdict.kind !== 'failed') return verdict;
  const asked = askedToWait({ status: result.status, retryAfter: result.retryAfter, body: responseExcerpt });
  return asked ? { kind: 'asked_to_wait', ...asked } : explainChatFailure(destinationKind, verdict, responseExcerpt);
}

/** A request that was not made, for a reason of our own. */
function ours(message: string): SendReport {
  return { result: { kind: 'internal_error', message }, responseExcerpt: null, proxy: null, wasHeldUp: true };
}
