/**
 * The states of a delivery, and its transitions:
 *
 *     pending ── attempt succeeded ──────────────► succeeded ─┐
 *        │ ▲ └── attempt failed, round exhausted ─► failed ────┤
 *        │ └──── attempt failed, delays left                  │ resend: any of them, one attempt
 *        └────── destination off, deleted, no plan ► skipped ─┤ recover: failed or skipped, a full round
 *     pending ◄───────────────────────────────────────────────┘
 *
 * A verdict `not_an_attempt` is no transition: the delivery stays pending and waits.
 */

/** All states except `pending` are final until someone resends or recovers the delivery. */
export const DELIVERY_STATES = ['pending', 'succeeded', 'failed', 'skipped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * The party that caused a failed request. Failures of `receiver` and `policy` count as attempts. Failures of `egress`
 * (our proxy) and `internal` do not: the job waits and tries again.
 */
export type Blame = CountedBlame | ExcludedBlame;

export type CountedBlame = 'receiver' | 'policy';

export type ExcludedBlame = 'egress' | 'internal';

/**
 * The cause of a delivery: a confirmed change, or a person who sends a test, resends a delivery or recovers deliveries.
 */
export type Trigger = 'change' | 'test' | 'resend' | 'recover';

interface TriggerFacts {
  /** True if a failed attempt is retried on the schedule. Otherwise the delivery has a single attempt. */
  readonly retried: boolean;
  /** True if attempts count toward the destination's run of failures. */
  readonly counted: boolean;
}

export const TRIGGERS: Readonly<Record<Trigger, TriggerFacts>> = {
  change: { retried: true, counted: true },
  recover: { retried: true, counted: true },
  test: { retried: false, counted: false },
  resend: { retried: false, counted: false },
};

/** Returns the retry delays of a round in milliseconds. Empty if deliveries with this trigger are not retried. */
export function retryDelaysFor(trigger: Trigger, delaysMs: readonly number[]): readonly number[] {
  return TRIGGERS[trigger].retried ? delaysMs : [];
}

const SKIPPED_BECAUSE: Readonly<Record<string, string>> = {
  destination_off: 'The channel was switched off.',
  destination_deleted: 'The channel was deleted.',
  plan_required: 'The plan did not include channels of this kind.',
};

/** Explains why a delivery was skipped. @param reason the token in the database and in the API */
export function whySkipped(reason: string | null): string {
  return SKIPPED_BECAUSE[reason ?? ''] ?? 'The delivery was not sent.';
}
