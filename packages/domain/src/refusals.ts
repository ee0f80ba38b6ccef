/**
 * A request that the business rules reject. Its message is for customers and names no internals; its code is the API's
 * (docs/reference/api.md).
 */
export abstract class Refusal extends Error {
  abstract readonly code: 'not_found' | 'conflict' | 'plan_required' | 'plan_limit_reached';
}

/** The entity does not exist, was deleted, or belongs to another account. The error is the same for all three. */
export class NotFound extends Refusal {
  override readonly name = 'NotFound';
  readonly code = 'not_found';

  /** @param noun as it appears in the sentence: `destination` */
  constructor(noun: string) {
    super(`There is no such ${noun}.`);
  }
}

/** The current state does not allow it. It may be possible later. */
export class Conflict extends Refusal {
  override readonly name = 'Conflict';
  readonly code = 'conflict';
}

/** The plan does not include the feature. */
export class PlanRequired extends Refusal {
  override readonly name = 'PlanRequired';
  readonly code = 'plan_required';

  constructor(feature: PlanFeature) {
    super(PLANS_WITH[feature]);
  }
}

const PLANS_WITH = {
  Tools: 'Tools are part of the Business plan.',
  Destinations: 'Webhooks are part of the Business plan. Slack and Discord are part of every plan from Starter up.',
};

/** A feature that some plans lack. */
export type PlanFeature = keyof typeof PLANS_WITH;

/** The account has reached a limit of its plan. */
export class PlanLimitReached extends Refusal {
  override readonly name = 'PlanLimitReached';
  readonly code = 'plan_limit_reached';

  /** @param unit in the plural: `artists` */
  constructor(
    readonly unit: string,
    readonly limit: number,
  ) {
    super(`Your plan allows ${limit} ${limit === 1 ? singular(unit) : unit}.`);
  }
}

function singular(unit: string): string {
  return unit.replace(/s$/, '');
}
