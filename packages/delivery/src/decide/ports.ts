import type { SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import type { DeliveryState, Trigger } from '@artist-watch/domain/delivery/delivery-state';

/** A clock that never steps, in milliseconds from an arbitrary start: for durations. */
export interface Monotonic {
  nowMs(): number;
}

/** A delivery that this worker may send, and nobody else for as long as the lease lasts. */
export interface ClaimedDelivery {
  readonly kind: 'claimed';
  readonly deliveryId: string;
  readonly accountId: string;
  readonly destinationId: string;
  readonly changeId: string | null;
  readonly trigger: Trigger;
  /** 1-based, over the delivery's whole life and within the present round. */
  readonly attemptNumber: number;
  readonly attemptInRound: number;
  /** It is the one first attempt that the pacing of its destination lets go now. */
  readonly hasTurn: boolean;
  readonly url: string;
  readonly sealedSecret: Uint8Array | null;
  readonly body: string;
  /** The record's clock at the claim, in milliseconds since 1970. */
  readonly claimedAtMs: number;
  /** Our own monotonic clock before the record was asked: the claim is no older than this. */
  readonly askedAtMs: number;
  /** When the claim runs out, on the record's clock; tells it from other claims of the same delivery. */
  readonly claimedUntil: Date;
  /** How long the delivery had existed at the claim. */
  readonly ageMs: number;
  /** Where its change stands in a trace; null where nobody traced it. */
  readonly traceparent: string | null;
}

export type Claim =
  | ClaimedDelivery
  | { readonly kind: 'settled' }
  | { readonly kind: 'undeliverable'; readonly destinationId: string }
  | { readonly kind: 'early' | 'taken'; readonly waitMs: number }
  | { readonly kind: 'paced' };

/** What one attempt came to, for the record. */
export interface Settlement {
  readonly deliveryId: string;
  readonly destinationId: string;
  readonly attemptNumber: number;
  readonly outcome: 'succeeded' | 'failed';
  readonly blame: 'receiver' | 'policy' | null;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly reason: string | null;
  readonly responseExcerpt: string | null;
  readonly durationMs: number;
  /** On the monotonic clock. */
  readonly endedAtMs: number;
  readonly counts: boolean;
  readonly isFirst: boolean;
  readonly hadTurn: boolean;
  readonly next:
    | { readonly state: 'succeeded' | 'failed' }
    | { readonly state: 'pending'; readonly delayMs: number; readonly inQueue: boolean };
}

export type SettlementResult =
  | {
      readonly kind: 'settled';
      readonly destinationId: string;
      /** `skipped` when there would be another attempt, but the destination is off or deleted. */
      readonly state: DeliveryState;
      /** Null when there is no next attempt, or will be none: it has just switched its destination off. */
      readonly retryInMs: number | null;
      /** What is to be told of its destination. Of all that settle together only one result tells it. */
      readonly news: readonly DestinationNews[];
    }
  | { readonly kind: 'superseded' };

/** A run of failures of which the account is told. */
export interface DestinationNews {
  readonly kind: 'warned' | 'switched_off';
  readonly consecutiveFailures: number;
}

export interface DeliveryRecord {
  claim(deliveryId: string): Promise<Claim>;
  settle(settlement: Settlement): Promise<SettlementResult>;
  /** Gives a claim back without an attempt, if it is still ours; the delivery waits in the record for `delayMs`. */
  release(claim: ClaimedDelivery, delayMs: number): Promise<void>;
  /** Lets a delivery that has no claim wait in the record: for a time, or until the pacing of its destination lets it go. */
  defer(deliveryId: string, until: { readonly delayMs: number } | 'pace'): Promise<void>;
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
  /** Did the proxy, or this process, stand still meanwhile, so that its duration says nothing of the receiver? */
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

/** Tells whoever follows a change through the house what becomes of its deliveries. */
export interface DeliveryTrace {
  /** One attempt, from its claim to its settlement: a part of the trace of its change. */
  attempt<Result extends { readonly kind: string }>(
    claim: ClaimedDelivery,
    work: () => Promise<Result>,
  ): Promise<Result>;
  settlement<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface DeliveryLog {
  attemptSettled(line: AttemptLine): void;
  /** @param claim of the delivery whose settlement brought the news. */
  destinationTold(claim: ClaimedDelivery, news: DestinationNews): void;
  /** A request that was nobody's attempt: the proxy network's fault or our own. */
  attemptForgiven(line: ForgivenLine): void;
  /** Somebody else settled this attempt while this process was out of touch. */
  attemptSuperseded(claim: ClaimedDelivery): void;
  trouble(where: string, error: unknown): void;
}

export interface AttemptLine {
  readonly claim: ClaimedDelivery;
  readonly settlement: Settlement;
  readonly result: SettlementResult & { kind: 'settled' };
  readonly proxy: string | null;
}

export interface ForgivenLine {
  readonly claim: ClaimedDelivery;
  readonly blame: 'egress' | 'internal';
  readonly error: string;
  readonly reason: string;
  readonly proxy: string | null;
  readonly durationMs: number;
  readonly waitMs: number;
}
