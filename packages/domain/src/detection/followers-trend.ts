/**
 * Compares followers with the 28-day median (docs/reference/detection.md). The median takes two weeks to follow a jump,
 * so the confirmed level is stored.
 */
import { type Difference, makeDifference } from '../change/difference.js';
import type { JsonReader } from './json-reader.js';

export type TrendType = 'followers_spike' | 'followers_drop';

export interface ConfirmedTrend {
  readonly type: TrendType;
  readonly level: number;
}

export interface FollowersOfDay {
  readonly day: Date;
  readonly followers: number;
}

export const TREND_WINDOW_DAYS = 28;
const MINIMUM_DAYS = 7;
/** Without a minimum, small artists would have a spike every day. */
export const MINIMUM_TREND_STEP = 500;
/** Losing a tenth of the followers is rarer and more serious than gaining a quarter. */
const SPIKE_RATIO = 0.25;
const DROP_RATIO = 0.1;

export interface TrendInput {
  readonly artist: { readonly platformId: string; readonly name: string | undefined };
  /** One value per day. Today's value is ignored. */
  readonly history: readonly FollowersOfDay[];
  readonly followers: number | undefined;
  readonly observedAt: Date;
  readonly confirmed: ConfirmedTrend | null;
}

/**
 * The difference's key does not include the number, so observations with different numbers can confirm the same trend.
 */
export function followersTrend(input: TrendInput): Difference | null {
  const { artist, followers, confirmed } = input;
  const median = usualFollowers(input);
  if (followers === undefined || median === null) return null;

  const type = classifyTrend(followers, median);
  if (type === null) return null;
  if (confirmed?.type === type && classifyTrend(followers, confirmed.level) !== type) return null;

  return makeDifference({
    type,
    entityId: artist.platformId,
    entityName: artist.name,
    before: median,
    after: followers,
  });
}

/** Returns null once the number is near the median again. */
export function lastingTrend(input: TrendInput): ConfirmedTrend | null {
  const { followers, confirmed } = input;
  const median = usualFollowers(input);
  if (confirmed === null || followers === undefined || median === null) return confirmed;
  return classifyTrend(followers, median) === confirmed.type ? confirmed : null;
}

export function trendFrom(difference: Difference): ConfirmedTrend {
  if (difference.type !== 'followers_spike' && difference.type !== 'followers_drop') {
    throw new RangeError(`${difference.type} is not a followers trend`);
  }
  return { type: difference.type, level: Number(difference.after) };
}

export function readTrend(reader: JsonReader): ConfirmedTrend {
  return {
    type: reader.at('type').oneOf(['followers_spike', 'followers_drop']),
    level: reader.at('level').number(),
  };
}

export interface TrendDay {
  readonly day: Date;
  readonly type: TrendType;
  readonly usual: number;
  readonly followers: number;
}

/** Compares each day with the days before it, oldest first. */
export function trendDays(days: readonly FollowersOfDay[]): TrendDay[] {
  const found: TrendDay[] = [];
  let confirmed: ConfirmedTrend | null = null;
  for (const [index, { day, followers }] of days.entries()) {
    const history = days.slice(Math.max(0, index - TREND_WINDOW_DAYS), index);
    const artist = { platformId: '', name: undefined };
    const input: TrendInput = { artist, history, followers, observedAt: day, confirmed };
    const difference = followersTrend(input);
    confirmed = difference === null ? lastingTrend(input) : trendFrom(difference);
    if (difference !== null && confirmed !== null) {
      found.push({ day, type: confirmed.type, usual: Number(difference.before), followers });
    }
  }
  return found;
}

function classifyTrend(followers: number, usual: number): TrendType | null {
  const step = followers - usual;
  if (Math.abs(step) < MINIMUM_TREND_STEP) return null;
  if (step >= usual * SPIKE_RATIO) return 'followers_spike';
  if (-step >= usual * DROP_RATIO) return 'followers_drop';
  return null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

function usualFollowers({ history, observedAt }: TrendInput): number | null {
  const today = Math.floor(observedAt.getTime() / DAY_MS);
  const values = history
    .filter(({ day }) => {
      const daysAgo = today - Math.floor(day.getTime() / DAY_MS);
      return daysAgo >= 1 && daysAgo <= TREND_WINDOW_DAYS;
    })
    .map(({ followers }) => followers)
    .sort((a, b) => a - b);
  if (values.length < MINIMUM_DAYS) return null;
  const middle = values.length >> 1;
  const upper = values[middle] ?? 0;
  return values.length % 2 === 1 ? upper : Math.round(((values[middle - 1] ?? 0) + upper) / 2);
}
