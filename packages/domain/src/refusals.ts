/** Thrown when business rules reject a request. The message is shown to customers (docs/api/requests.md). */
export abstract class Refusal extends Error {
  abstract readonly code: 'not_found' | 'conflict' | 'plan_required' | 'plan_limit_reached';
}

/** Missing entities, deleted entities and other accounts' entities all get the same error. */
export class NotFound extends Refusal {
  override readonly name = 'NotFound';
  readonly code = 'not_found';

  /** @param noun the kind of entity, such as `destination` */
  constructor(noun: string) {
    super(`There is no such ${noun}.`);
  }
}

export class Conflict extends Refusal {
  override readonly name = 'Conflict';
  readonly code = 'conflict';
}

export class PlanRequired extends Refusal {
  override readonly name = 'PlanRequired';
  readonly code = 'plan_required';

  constructor(feature: PlanFeature) {
    super(PLANS_WITH[feature]);
  }
}

const PLANS_WITH = {
  Tools: 'Tools require the Business plan.',
  Destinations: 'Webhooks require the Business plan. Slack and Discord require the Starter plan or higher.',
};

export type PlanFeature = keyof typeof PLANS_WITH;

export class PlanLimitReached extends Refusal {
  override readonly name = 'PlanLimitReached';
  readonly code = 'plan_limit_reached';

  /** @param unit a plural noun, such as `artists` */
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
