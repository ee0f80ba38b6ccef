/**
 * Thrown if the business rules reject a request. The message is for customers and mentions no internals. The codes are
 * those of the API (docs/reference/api.md).
 */
export abstract class Refusal extends Error {
  abstract readonly code: 'not_found' | 'conflict' | 'plan_required' | 'plan_limit_reached';
}

/** The entity does not exist, was deleted, or belongs to another account. All three give the same error. */
export class NotFound extends Refusal {
  override readonly name = 'NotFound';
  readonly code = 'not_found';

  /** @param noun the kind of entity as it appears in the sentence, such as `destination` */
  constructor(noun: string) {
    super(`There is no such ${noun}.`);
  }
}

/** The current state does not allow the request. It may be possible later. */
export class Conflict extends Refusal {
  override readonly name = 'Conflict';
  readonly code = 'conflict';
}

/** The account's plan does not include the feature. */
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

/** A feature that some plans do not include. */
export type PlanFeature = keyof typeof PLANS_WITH;

/** The account has reached a limit of its plan. */
export class PlanLimitReached extends Refusal {
  override readonly name = 'PlanLimitReached';
  readonly code = 'plan_limit_reached';

  /** @param unit the limited items in the plural, such as `artists` */
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
