/**
 * What the business says no to. A refusal is an answer, not a fault: its message is for the customer, and its code is
 * the one that the API shows (docs/reference/api.md). Nothing about the inside of the service stands in it.
 */
export abstract class Refusal extends Error {
  abstract readonly code: 'not_found' | 'conflict' | 'plan_required' | 'plan_limit_reached';
}

/** It does not exist, was deleted, or belongs to another account: the same answer for all three. */
export class NotFound extends Refusal {
  override readonly name = 'NotFound';
  readonly code = 'not_found';

  /** @param noun what was looked for, as the sentence says it: `destination`. */
  constructor(noun: string) {
    super(`There is no such ${noun}.`);
  }
}

/** The state of the thing does not allow it, and another request may. */
export class Conflict extends Refusal {
  override readonly name = 'Conflict';
  readonly code = 'conflict';
}

/** The plan has none of it at all. */
export class PlanRequired extends Refusal {
  override readonly name = 'PlanRequired';
  readonly code = 'plan_required';

  constructor(feature: PlanFeature) {
    super(PLANS_WITH[feature]);
  }
}

const PLANS_WITH = {
  Tools: 'Tools are part of the Business plan.',
  Destinations: 'Webhooks are part of the Business plan, Slack and Discord of every plan from Starter on.',
};

/** What not every plan has. */
export type PlanFeature = keyof typeof PLANS_WITH;

/** The plan has it, and the account has used up what the plan allows. */
export class PlanLimitReached extends Refusal {
  override readonly name = 'PlanLimitReached';
  readonly code = 'plan_limit_reached';

  /** @param unit in the plural: `artists`. */
  constructor(
    readonly unit: string,
    readonly limit: number,
  ) {
    super(`The plan of this account allows ${limit} ${limit === 1 ? singular(unit) : unit}.`);
  }
}

function singular(unit: string): string {
  return unit.replace(/s$/, '');
}
