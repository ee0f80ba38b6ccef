/**
 * Spikes and drops of followers (docs/reference/detection.md): against the median of the last 28 days, by a minimum step.
 *
 * A jump is far from the median for a fortnight, until the median has caught up; it is reported once. So the level at which
 * a trend was confirmed is remembered, and only a further jump of the same size, measured from that level, is reported.
 */
import { type Difference, makeDifference } from '../change/difference.js';
import type { JsonReader } from './json-reading.js';

export type TrendType = 'followers_spike' | 'followers_drop';

/** A trend that was confirmed, and still lasts. */
export interface ConfirmedTrend {
  readonly type: TrendType;
  /** Followers when it was confirmed. */
  readonly level: number;
}

export interface FollowersOfDay {
  /** Any instant of the UTC day. */
  readonly day: Date;
  readonly followers: number;
}

export const TREND_WINDOW_DAYS = 28;
/** Days with a value inside the window below which nothing is judged. */
const MINIMUM_DAYS = 7;
/** Followers by which the value must differ at least, so that small artists do not jump every day. */
export const MINIMUM_TREND_STEP = 500;
/** Parts of the median. Losing a tenth is rarer, and more serious, than gaining a quarter. */
const SPIKE_RATIO = 0.25;
const DROP_RATIO = 0.1;

export interface TrendQuestion {
  readonly artist: { readonly platformId: string; readonly name: string | undefined };
  /** One value a day; days outside the window, and the present one, are left out here. */
  readonly history: readonly FollowersOfDay[];
  /** `undefined` when the platform did not say. */
  readonly followers: number | undefined;
  readonly observedAt: Date;
  readonly confirmed: ConfirmedTrend | null;
}

/**
 * The difference to the usual, or null. Its key is the type alone, so two observations agree although the number moves
 * on between them.
 */
export function followersTrend(question: TrendQuestion): Difference | null {
  const { artist, followers, confirmed } = question;
  const median = usualFollowers(question);
  if (followers === undefined || median === null) return null;

  const type = trendOf(followers, median);
  if (type === null) return null;
  if (confirmed?.type === type && trendOf(followers, confirmed.level) !== type) return null;

  return makeDifference({
    type,
    entityId: artist.platformId,
    entityName: artist.name,
    before: median,
    after: followers,
  });
}

/**
 * The confirmed trend as long as it lasts: null once the value is back near the median, or the median near the value.
 */
export function lastingTrend(question: TrendQuestion): ConfirmedTrend | null {
  const { followers, confirmed } = question;
  const median = usualFollowers(question);
  if (confirmed === null || followers === undefined || median === null) return confirmed;
  return trendOf(followers, median) === confirmed.type ? confirmed : null;
}

/** The trend that a confirmed difference stands for. */
export function trendFrom(difference: Difference): ConfirmedTrend {
  if (difference.type !== 'followers_spike' && difference.type !== 'followers_drop') {
    throw new RangeError(`${difference.type} is no trend of followers`);
  }
  return { type: difference.type, level: Number(difference.after) };
}

export function readTrend(reader: JsonReader): ConfirmedTrend {
  return {
    type: reader.at('type').oneOf(['followers_spike', 'followers_drop']),
    level: reader.at('level').number(),
  };
}

/** A day on which a trend began. */
export interface TrendDay {
  readonly day: Date;
  readonly type: TrendType;
  readonly usual: number;
  readonly followers: number;
}

/** The days of a series, oldest first, on which a trend began, each judged by the days before it as a reading is. */
export function trendDays(days: readonly FollowersOfDay[]): TrendDay[] {
  const found: TrendDay[] = [];
  let confirmed: ConfirmedTrend | null = null;
  for (const [index, { day, followers }] of days.entries()) {
    const history = days.slice(Math.max(0, index - TREND_WINDOW_DAYS), index);
    const artist = { platformId: '', name: undefined };
    const question: TrendQuestion = { artist, history, followers, observedAt: day, confirmed };
    const difference = followersTrend(question);
    confirmed = difference === null ? lastingTrend(question) : trendFrom(difference);
    if (difference !== null && confirmed !== null) {
      found.push({ day, type: confirmed.type, usual: Number(difference.before), followers });
    }
  }
  return found;
}

function trendOf(followers: number, usual: number): TrendType | null {
  const step = followers - usual;
  if (Math.abs(step) < MINIMUM_TREND_STEP) return null;
  if (step >= usual * SPIKE_RATIO) return 'followers_spike';
  if (-step >= usual * DROP_RATIO) return 'followers_drop';
  return null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

function usualFollowers({ history, observedAt }: TrendQuestion): number | null {
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
