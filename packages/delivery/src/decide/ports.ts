import type { AskedWait } from '@artist-watch/domain/channel/chat-answer';
import type { SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import type { ClaimedDelivery, ClaimRefusal } from '../store/claims.js';
import type { Deferral } from '../store/deferral.js';
import type { Settlement, SettlementResult } from '../store/settlement.js';

/** A clock that never steps, in milliseconds from an arbitrary start: for durations. */
export interface Monotonic {
  nowMs(): number;
}

/** A delivery that this worker may send, and nobody else for as long as the lease lasts. */
export interface Claim extends ClaimedDelivery {
  /** Our own monotonic clock before the record was asked: the claim is no older than this. */
  readonly askedAtMs: number;
}

/** What one attempt came to, for the record; it ended at an instant of the monotonic clock. */
export type AttemptToSettle = Omit<Settlement, 'endedAgoMs'> & { readonly endedAtMs: number };

/** With what is to be reported of its destination. Of all that settle together only one result reports it. */
export type SettledAttempt =
  | (Extract<SettlementResult, { kind: 'settled' }> & { readonly notifications: readonly FailureNotification[] })
  | Extract<SettlementResult, { kind: 'superseded' }>;

/** A run of failures that is reported to the account. */
export interface FailureNotification {
  readonly kind: 'warned' | 'switched_off';
  readonly consecutiveFailures: number;
}

export interface DeliveryClaims {
  claim(deliveryId: string): Promise<Claim | ClaimRefusal>;
  settle(attempt: AttemptToSettle): Promise<SettledAttempt>;
  /** Gives a claim back without an attempt, if it is still ours; the delivery waits in the record for `delayMs`. */
  release(claim: ClaimedDelivery, delayMs: number): Promise<void>;
  /** Lets a delivery that has no claim wait in the record: for a time, or until the pacing of its destination lets it go. */
  defer(deliveryId: string, until: Deferral['until']): Promise<void>;
  /** Settles as skipped what is pending for a destination that is off or deleted. */
  skipUndeliverable(destinationId: string): Promise<void>;
}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface SendReport {
  readonly result: SendResult;
  /** At most 4 KiB of the answer's body, safe to show; null when there was none. */
  readonly responseExcerpt: string | null;
  /** The egress proxy that carried it, without credentials. */
  readonly proxy: string | null;
  /** Did the proxy, or this process, stall meanwhile, so that its duration says nothing of the receiver? */
  readonly wasHeldUp: boolean;
}

export interface WebhookSender {
  /** Makes one request; never rejects, never sends twice. */
  send(request: WebhookRequest): Promise<SendReport>;
}

export interface SecretOpener {
  /** @throws when the secret was sealed with a key that is not known here. */
  open(sealed: Uint8Array, destinationId: string): string;
}

/** Whether the queue still takes retries; those beyond its bound wait in the record. */
export interface RetryRoom {
  hasRoom(destinationId: string): boolean;
}

/** Traces one attempt, from its claim to its settlement, as a part of the trace of its change. */
export type TraceAttempt = <Result extends { readonly kind: string }>(
  claim: ClaimedDelivery,
  work: () => Promise<Result>,
) => Promise<Result>;

export interface DeliveryLog {
  attemptSettled(line: AttemptLine): void;
  /** @param claim of the delivery whose settlement brought the notification. */
  destinationNotified(claim: ClaimedDelivery, notifications: FailureNotification): void;
  /** A request that was nobody's attempt: the proxy network's fault or our own. */
  attemptExcluded(line: ExcludedLine): void;
  /** A chat platform did not take the message now: no attempt. */
  waitAsked(claim: ClaimedDelivery, asked: AskedWait): void;
  /** Somebody else settled this attempt while this process was out of touch. */
  attemptSuperseded(claim: ClaimedDelivery): void;
  trouble(where: string, error: unknown): void;
}

export interface AttemptLine {
  readonly claim: ClaimedDelivery;
  readonly settlement: AttemptToSettle;
  readonly result: SettledAttempt & { kind: 'settled' };
  readonly proxy: string | null;
}

export interface ExcludedLine {
  readonly claim: ClaimedDelivery;
  readonly blame: 'egress' | 'internal';
  readonly error: string;
  readonly reason: string;
  readonly proxy: string | null;
  readonly durationMs: number;
  readonly waitMs: number;
}
