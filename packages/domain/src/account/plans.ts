/** What each plan allows (docs/reference/plans.md). */

export type PlanName = 'free' | 'starter' | 'pro' | 'business';

export interface Plan {
  readonly apiRequestsPerHour: number;
  readonly artists: number;
  readonly seats: number;
  readonly keys: number;
  readonly historyDays: number;
  readonly pollIntervalMs: number;
  /** Tool calls a UTC day; 0 where the plan has no tools. */
  readonly toolCallsPerDay: number;
  /** Webhook destinations; 0 where the plan has none. */
  readonly destinations: number;
  /** Slack and Discord destinations together; 0 where the plan has none. */
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

/**
 * New watches of an account a UTC day: enough to replace all artists several times, not to have them read anew all day.
 */
export function newWatchesPerDay({ artists }: Plan): number {
  return 5 * artists;
}

/** Invitations of an account within 24 hours: enough to fill all seats several times, not to send mails to strangers all day. */
export function invitationsPerDay({ seats }: Plan): number {
  return 3 * seats + 10;
}

/** The smallest number of searches a day: a Free account has to find its one artist too. */
const MIN_SEARCHES_PER_DAY = 50;

/**
 * Searches of artists by name of an account a UTC day: as many as it may begin to watch. Each is one request to the
 * platform.
 */
export function searchesPerDay(plan: Plan): number {
  return Math.max(MIN_SEARCHES_PER_DAY, newWatchesPerDay(plan));
}

/**
 * How many of the plan's artists an account uses. A watch of what has been no artist of the platform for an hour costs
 * no place, for as many of them as the plan has places.
 */
export function artistsUsed(
  { watches, withoutArtist }: { readonly watches: number; readonly withoutArtist: number },
  { artists }: Plan,
): number {
  return watches - Math.min(withoutArtist, artists);
}

/** Where the history of a plan begins. */
export function oldestOf(plan: PlanName, now: Date): Date {
  return new Date(now.getTime() - PLANS[plan].historyDays * 86_400_000);
}
