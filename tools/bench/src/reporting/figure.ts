import type { Spread } from '../measuring/statistics.js';

/** A line of the table of results. */
export interface Figure {
  /** What it is a figure of: `requests per second, GET /v1/changes to bare express`. */
  readonly name: string;
  /** Of a table in which every name is a row of several figures; a line of its own without. */
  readonly column?: string;
  /** A spread is held to the limit by its median. */
  readonly value: number | Spread;
  /** Behind the number: `ms`; nothing for a ratio. */
  readonly unit?: string;
  /** Digits after the point; 2 unless given. */
  readonly digits?: number;
  /** The limit, where there is one: either of the two. */
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** Undefined where there is no limit. */
export function holds({ value, atLeast, atMost }: Figure): boolean | undefined {
  const measured = typeof value === 'number' ? value : value.median;
  if (atLeast !== undefined) return measured >= atLeast;
  return atMost === undefined ? undefined : measured <= atMost;
}

/** `0.86 (0.81–0.92)`: the median, and the least and the greatest of all rounds. */
export function valueText({ value, unit, digits = 2 }: Figure): string {
  const number = (of: number) => of.toFixed(digits);
  const text =
    typeof value === 'number'
      ? number(value)
      : `${number(value.median)} (${number(value.least)}–${number(value.greatest)})`;
  return unit === undefined ? text : `${text} ${unit}`;
}

export function limitText({ atLeast, atMost, unit, digits = 2 }: Figure): string {
  const limit = atLeast ?? atMost;
  if (limit === undefined) return '';
  const text = `${atLeast === undefined ? '≤' : '≥'} ${limit.toFixed(digits)}`;
  return unit === undefined ? text : `${text} ${unit}`;
}
