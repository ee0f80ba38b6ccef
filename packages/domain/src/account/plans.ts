/** See docs/api/plans.md. */

export type PlanName = 'free' | 'starter' | 'pro' | 'business';

export interface Plan {
  readonly apiRequestsPerHour: number;
  readonly artists: number;
  readonly seats: number;
  readonly keys: number;
  readonly historyDays: number;
  readonly pollIntervalMs: number;
  readonly toolCallsPerDay: number;
  readonly destinations: number;
  /** Slack and Discord destinations share this limit. */
  readonly chatDestinations: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  free: {
    apiRequestsPerHour: 60,
    artists: 1,
    seats: 1,
    keys: 1,
    historyDays: 7,
    pollIntervalMs: 24 * HOUR_MS,
    toolCallsPerDay: 0,
    destinations: 0,
    chatDestinations: 0,
  },
  starter: {
    apiRequestsPerHour: 600,
    artists: 10,
    seats: 2,
    keys: 2,
    historyDays: 30,
    pollIntervalMs: 6 * HOUR_MS,
    toolCallsPerDay: 0,
    destinations: 0,
    chatDestinations: 1,
  },
  pro: {
    apiRequestsPerHour: 6_000,
    artists: 50,
    seats: 5,
    keys: 5,
    historyDays: 180,
    pollIntervalMs: HOUR_MS,
    toolCallsPerDay: 0,
    destinations: 0,
    chatDestinations: 3,
  },
  business: {
    apiRequestsPerHour: 60_000,
    artists: 500,
    seats: 25,
    keys: 20,
    historyDays: 730,
    pollIntervalMs: 15 * MINUTE_MS,
    toolCallsPerDay: 1_000,
    destinations: 10,
    chatDestinations: 10,
  },
};

export const PLAN_NAMES = Object.keys(PLANS) as readonly PlanName[];

export function planTitle(plan: PlanName): string {
  return `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`;
}

/** Allows an account to replace all its artists five times a day. */
export function newWatchesPerDay({ artists }: Plan): number {
  return 5 * artists;
}

/** Allows an account to invite a full team several times, but not to email strangers all day. */
export function invitationsPerDay({ seats }: Plan): number {
  return 3 * seats + 10;
}

/** Even a Free account must be able to find its artist. */
const MIN_SEARCHES_PER_DAY = 50;

/** Searches are limited because each search by name sends a request to the platform. */
export function searchesPerDay(plan: Plan): number {
  return Math.max(MIN_SEARCHES_PER_DAY, newWatchesPerDay(plan));
}

/**
 * Returns how many watches count toward the plan's limit. Watches whose artist was not found are free, up to that
 * limit.
 */
export function artistsUsed(
  { watches, withoutArtist }: { readonly watches: number; readonly withoutArtist: number },
  { artists }: Plan,
): number {
  return watches - Math.min(withoutArtist, artists);
}

export function historyStart(plan: PlanName, now: Date): Date {
  return new Date(now.getTime() - PLANS[plan].historyDays * 86_400_000);
}
