import { oldestOf, type PlanName } from '@artist-watch/domain/account/plans';

const DAY_MS = 86_400_000;

/** From when on changes are listed. */
export interface Reach {
  readonly since: Date;
  /** Whether the plan's history cut it short (docs/reference/api.md). */
  readonly clamped: boolean;
}

/** How far back a request for changes reaches, given what it asked for. */
export function reachOf(asked: Date, plan: PlanName, now: Date): Reach {
  const oldest = oldestOf(plan, now);
  return asked < oldest ? { since: oldest, clamped: true } : { since: asked, clamped: false };
}

/** What a request without `since` asks for (docs/reference/api.md). */
export function defaultSince(now: Date): Date {
  return new Date(now.getTime() - DAY_MS);
}

/** Says from when on an answer lists changes, where that is not what was asked for. */
export function historyHeader({ since, clamped }: Reach): Record<string, string> {
  return clamped ? { 'X-History-Since': since.toISOString() } : {};
}
