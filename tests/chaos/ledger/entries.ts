/** Times are milliseconds since 1970 on this machine's clock. */

export type Severity = 'critical' | 'warning' | 'info';

/** change-ingest returned 202 for this change. */
export interface AcceptedChange {
  readonly externalId: string;
  readonly severity: Severity;
  readonly acceptedAtMs: number;
}

/** `cut`: the receiver closed the connection on purpose. `none`: the sender disconnected before the response. */
export type ReceiverAnswer = 'ok' | 'failure' | 'cut' | 'none';

export interface SeenRequest {
  readonly destinationId: string;
  /** A chat message has its change id here until the deliveries are read from the database. */
  deliveryId: string;
  /** `X-Service-Attempt` is always 1 for chat messages, whose receivers never fail. */
  readonly attempt: number;
  readonly arrivedAtMs: number;
  readonly bodyDigest: string;
  /** The signature matches the recipe in docs/api/webhooks.md, or the chat platform accepts the message. */
  readonly signatureHolds: boolean;
  /** True if the hostile name arrived as complete text without any effect. */
  readonly isNameIntact: boolean;
  answer: ReceiverAnswer;
  answeredAtMs: number | undefined;
}

/** The mail server accepted this email, even if the sender did not get the response. */
export interface SeenMail {
  readonly recipient: string;
  readonly messageId: string;
  /** True if no part of the hostile name became markup, a link, a header or a change of text direction. */
  readonly isInert: boolean;
  readonly changeIds: readonly string[];
  /** The email counts these changes without linking to them, because it links to one change of each event. */
  readonly unlisted: number;
}

export interface LedgerDestination {
  readonly destinationId: string;
  readonly name: string;
  lets(change: AcceptedChange): boolean;
}

/**
 * `handover`: a process stopped or lost PostgreSQL during requests, which may be sent again. `outage`: nothing could be
 * delivered. `loss`: the queue was lost.
 */
export interface Fault {
  readonly what: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly effects: ReadonlySet<'handover' | 'outage' | 'loss'>;
  readonly inHand: ReadonlySet<string>;
}

/** The queue was never empty during this period. */
export interface Backlog {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface RecordedDelivery {
  readonly deliveryId: string;
  readonly destinationId: string;
  readonly externalId: string;
  readonly changeId: string;
  readonly state: 'pending' | 'succeeded' | 'failed' | 'skipped';
  readonly attemptCount: number;
}

export interface RecordedAttempt {
  readonly deliveryId: string;
  readonly number: number;
  readonly outcome: 'succeeded' | 'failed';
  readonly blame: string | null;
  readonly error: string | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** The proxy or the worker failed, so the receiver may see the same attempt again. */
export interface ExcludedRequest {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** The delivery is not sent again before this time. */
  readonly againAtMs: number;
}

export interface FinalRecord {
  readonly deliveries: readonly RecordedDelivery[];
  readonly attempts: readonly RecordedAttempt[];
  readonly excluded: readonly ExcludedRequest[];
}
