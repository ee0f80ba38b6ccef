/**
 * The words in which a delivery is described, and its life:
 *
 *     pending ── attempt succeeded ──────────────► succeeded ─┐
 *        │ ▲ └── attempt failed, round exhausted ─► failed ────┤
 *        │ └──── attempt failed, delays left                  │ resend: any of them, one attempt
 *        └────── destination off, deleted, no plan ► skipped ─┤ recover: failed or skipped, a full round
 *     pending ◄───────────────────────────────────────────────┘
 *
 * A verdict `not_an_attempt` is no transition: the delivery stays as it is, and only waits.
 */

/** After the first one nothing is sent any more, unless a person asks: a resend, or a recovery. */
export const DELIVERY_STATES = ['pending', 'succeeded', 'failed', 'skipped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * Whose fault a failed request is. `receiver` and `policy` make an attempt that counts; `egress` (our
 * proxy) and `internal` make none: the job waits and goes on.
 */
export type Blame = CountedBlame | ExcludedBlame;

export type CountedBlame = 'receiver' | 'policy';

export type ExcludedBlame = 'egress' | 'internal';

/** What sets a delivery going: a confirmed change, or a person who tests, resends one, or recovers many. */
export type Trigger = 'change' | 'test' | 'resend' | 'recover';

interface TriggerFacts {
  /** Tried again by the schedule when it fails; the others are one attempt. */
  readonly retried: boolean;
  /** Its attempts count in the destination's run of failures. */
  readonly counted: boolean;
}

export const TRIGGERS: Readonly<Record<Trigger, TriggerFacts>> = {
  change: { retried: true, counted: true },
  recover: { retried: true, counted: true },
  test: { retried: false, counted: false },
  resend: { retried: false, counted: false },
};

/** The retry delays of a round that this trigger started, in milliseconds: the schedule, or none. */
export function retryDelaysFor(trigger: Trigger, delaysMs: readonly number[]): readonly number[] {
  return TRIGGERS[trigger].retried ? delaysMs : [];
}

const SKIPPED_BECAUSE: Readonly<Record<string, string>> = {
  destination_off: 'The channel was switched off.',
  destination_deleted: 'The channel was deleted.',
  plan_required: 'The plan did not include channels of this kind.',
};

/** Why a delivery was skipped, by the token that the database and the API use. */
export function whySkipped(reason: string | null): string {
  return SKIPPED_BECAUSE[reason ?? ''] ?? 'It was not sent.';
}
