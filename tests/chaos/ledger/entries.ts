/** The entries of the ledger. Times are milliseconds since 1970 on this machine's clock. */

export type Severity = 'critical' | 'warning' | 'info';

/** A change for which change-ingest returned 202. */
export interface AcceptedChange {
  readonly externalId: string;
  readonly severity: Severity;
  readonly acceptedAtMs: number;
}

/**
 * A receiver's response to a request. `cut` means that the receiver closed the connection on purpose. `none` means that
 * the sender disconnected before the response.
 */
export type ReceiverAnswer = 'ok' | 'failure' | 'cut' | 'none';

/** A request that a receiver received. */
export interface SeenRequest {
  readonly destinationId: string;
  /**
   * A chat message contains no delivery id. For it, this is the change id until the deliveries are read from the
   * database.
   */
  deliveryId: string;
  /** The value of the header `X-Service-Attempt`. It is 1 for chat messages, whose receivers never fail. */
  readonly attempt: number;
  readonly arrivedAtMs: number;
  /** Digest of the exact bytes of the body. */
  readonly bodyDigest: string;
  /**
   * True if the signature is valid by the recipe in docs/reference/webhooks.md. For a chat message, true if the chat
   * platform's documented format accepts it.
   */
  readonly signatureHolds: boolean;
  /** True if the hostile name arrived as text, complete and without any effect. */
  readonly isNameIntact: boolean;
  answer: ReceiverAnswer;
  /** When the response was written, or when the receiver noticed that the sender had disconnected. */
  answeredAtMs: number | undefined;
}

/** An email that the mail server accepted, even if the sender did not get the response. */
export interface SeenMail {
  readonly recipient: string;
  readonly messageId: string;
  /** True if no part of the hostile name became markup, a link, a header or a change of text direction. */
  readonly isInert: boolean;
  /** The ids of the changes that the email lists. */
  readonly changeIds: readonly string[];
  /** The number of changes that it counts without listing them ("And 12 more in the dashboard."). */
  readonly unlisted: number;
}

/** A destination, and the changes that must be delivered to it. */
export interface LedgerDestination {
  readonly destinationId: string;
  readonly name: string;
  lets(change: AcceptedChange): boolean;
}

/**
 * Something that was done to the system.
 *
 * `handover` means that a process stopped, or lost its connection to PostgreSQL, while it had requests in flight. Its
 * deliveries may be sent again. `outage` means that nothing could be delivered during the fault. `loss` means that the
 * queue was lost.
 */
export interface Fault {
  readonly what: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly effects: ReadonlySet<'handover' | 'outage' | 'loss'>;
  /** Deliveries that a worker was processing at that time. */
  readonly inHand: ReadonlySet<string>;
}

/** A period in which the queue was never empty. */
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

/**
 * A request that does not count as an attempt, because the proxy or the worker failed. The receiver may have seen it,
 * and then sees the same attempt again.
 */
export interface ExcludedRequest {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** The delivery is not sent again before this time. */
  readonly againAtMs: number;
}

/** What the system has recorded at the end. */
export interface FinalRecord {
  /** From PostgreSQL. */
  readonly deliveries: readonly RecordedDelivery[];
  readonly attempts: readonly RecordedAttempt[];
  /** From the workers' logs. */
  readonly excluded: readonly ExcludedRequest[];
}
