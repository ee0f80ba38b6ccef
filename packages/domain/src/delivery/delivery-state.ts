/**
 *     pending ── attempt succeeded ──────────────► succeeded ─┐
 *        │ ▲ └── attempt failed, round exhausted ─► failed ────┤
 *        │ └──── attempt failed, retries left                 │ resend: any of them, one attempt
 *        └────── destination off, deleted, no plan ► skipped ─┤ recover: failed or skipped, a full round
 *     pending ◄───────────────────────────────────────────────┘
 *
 * A `not_an_attempt` result leaves the delivery pending.
 */

export const DELIVERY_STATES = ['pending', 'succeeded', 'failed', 'skipped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Only failures with the blame `receiver` or `policy` count as attempts. */
export type Blame = CountedBlame | ExcludedBlame;

export type CountedBlame = 'receiver' | 'policy';

export type ExcludedBlame = 'egress' | 'internal';

export type Trigger = 'change' | 'test' | 'resend' | 'recover';

interface TriggerFacts {
  /** If false, the delivery has a single attempt. */
  readonly retried: boolean;
  /** True if attempts count toward the destination's consecutive failures. */
  readonly counted: boolean;
}

export const TRIGGERS: Readonly<Record<Trigger, TriggerFacts>> = {
  change: { retried: true, counted: true },
  recover: { retried: true, counted: true },
  test: { retried: false, counted: false },
  resend: { retried: false, counted: false },
};

/** Returns the delays in milliseconds. The list is empty if there are no retries. */
export function retryDelaysFor(trigger: Trigger, delaysMs: readonly number[]): readonly number[] {
  return TRIGGERS[trigger].retried ? delaysMs : [];
}

/** The reason stored when a customer disables a destination. */
export const SWITCHED_OFF_BY_REQUEST = 'Switched off by request';

const SKIPPED_BECAUSE: Readonly<Record<string, string>> = {
  destination_off: 'The channel was off.',
  destination_deleted: 'The channel was deleted.',
  plan_required: 'The plan did not include channels of this kind.',
};

export function whySkipped(reason: string | null): string {
  return SKIPPED_BECAUSE[reason ?? ''] ?? 'The delivery was not sent.';
}
