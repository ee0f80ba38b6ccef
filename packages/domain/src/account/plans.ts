/** The limits and features of each plan (docs/reference/plans.md). */

export type PlanName = 'free' | 'starter' | 'pro' | 'business';

export interface Plan {
  readonly apiRequestsPerHour: number;
  readonly artists: number;
  readonly seats: number;
  readonly keys: number;
  readonly historyDays: number;
  readonly pollIntervalMs: number;
  /** Maximum number of tool calls per UTC day. 0 if the plan has no tools. */
  readonly toolCallsPerDay: number;
  /** Maximum number of webhook destinations. 0 if the plan has no webhooks. */
  readonly destinations: number;
  /** Maximum number of Slack and Discord destinations together. 0 if the plan has none. */
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

/** `Business` */
export function planTitle(plan: PlanName): string {
  return `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`;
}

/**
 * Maximum number of artists that an account can start to watch per UTC day. It is enough to replace all artists five
 * times.
 */
export function newWatchesPerDay({ artists }: Plan): number {
  return 5 * artists;
}

/**
 * Maximum number of invitations per account within 24 hours. It is enough to invite a full team several times, but
 * prevents an account from emailing strangers all day.
 */
export function invitationsPerDay({ seats }: Plan): number {
  return 3 * seats + 10;
}

/**
 * Minimum number of artist searches per day on any plan, because even a Free account must be able to find its artist.
 */
const MIN_SEARCHES_PER_DAY = 50;

/** Maximum number of artist searches by name per account and UTC day. Each search is one request to the platform. */
export function searchesPerDay(plan: Plan): number {
  return Math.max(MIN_SEARCHES_PER_DAY, newWatchesPerDay(plan));
}

/**
 * Returns the number of artists that count toward the plan. A watch is free if its artist has been missing from the
 * platform for an hour. The number of free watches is limited to the plan's number of artists.
 */
export function artistsUsed(
  { watches, withoutArtist }: { readonly watches: number; readonly withoutArtist: number },
  { artists }: Plan,
): number {
  return watches - Math.min(withoutArtist, artists);
}

/** Returns the start of a plan's history. */
export function historyStart(plan: PlanName, now: Date): Date {
  return new Date(now.getTime() - PLANS[plan].historyDays * 86_400_000);
}
