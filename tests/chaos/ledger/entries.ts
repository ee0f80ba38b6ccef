/** What the ledger holds. Instants are milliseconds since 1970 on the clock of this machine. */

export type Severity = 'critical' | 'warning' | 'info';

/** A change that change-ingest answered 202 to. */
export interface AcceptedChange {
  readonly externalId: string;
  readonly severity: Severity;
  readonly acceptedAtMs: number;
}

/** How a receiver answered a request; `cut`: it broke the connection on purpose; `none`: the sender was gone first. */
export type ReceiverAnswer = 'ok' | 'failure' | 'cut' | 'none';

/** A request that a receiver saw. */
export interface SeenRequest {
  readonly destinationId: string;
  /** Of a chat message, which does not say it, the change's until the record is read. */
  deliveryId: string;
  /** What the header `X-Service-Attempt` says; 1 of a chat message, whose receivers fail none. */
  readonly attempt: number;
  readonly arrivedAtMs: number;
  /** Of the exact bytes. */
  readonly bodyDigest: string;
  /** What the receiver made of the recipe of docs/reference/webhooks.md, or of the chat platform's documents. */
  readonly signatureHolds: boolean;
  /** The hostile name is there as text: nothing of it was carried out or left out. */
  readonly isNameIntact: boolean;
  answer: ReceiverAnswer;
  /** When the answer was written, or the sender seen to be gone. */
  answeredAtMs: number | undefined;
}

/** A mail that the mail server took, whether or not its sender heard of it. */
export interface SeenMail {
  readonly recipient: string;
  readonly messageId: string;
  /** No part of the hostile name is mark-up, a link, a header or a turn of direction. */
  readonly isInert: boolean;
  /** Of the changes that it lists. */
  readonly changeIds: readonly string[];
  /** How many more it reports without listing them ("And 12 more in the dashboard."). */
  readonly unlisted: number;
}

/** A destination, and what must be reported to it. */
export interface LedgerDestination {
  readonly destinationId: string;
  readonly name: string;
  lets(change: AcceptedChange): boolean;
}

/**
 * Something that was done to the system.
 *
 * `handover`: a process that had requests on the wire, or its way to settle them, was taken away, so that what was in
 * hand may be sent again. `outage`: nothing could be delivered meanwhile. `loss`: the schedule was lost.
 */
export interface Fault {
  readonly what: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly effects: ReadonlySet<'handover' | 'outage' | 'loss'>;
  /** Deliveries that some worker had in hand at that time. */
  readonly inHand: ReadonlySet<string>;
}

/** A span in which jobs waited in the queue without a pause. */
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
 * A request that was nobody's attempt: a proxy failed, or the worker itself. The receiver may have seen it, and sees
 * the
 * same attempt again then.
 */
export interface ExcludedRequest {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** The delivery is left alone until then. */
  readonly againAtMs: number;
}

/** What the system says at the end. */
export interface FinalRecord {
  /** As PostgreSQL has them. */
  readonly deliveries: readonly RecordedDelivery[];
  readonly attempts: readonly RecordedAttempt[];
  /** As the workers' logs have them. */
  readonly excluded: readonly ExcludedRequest[];
}
