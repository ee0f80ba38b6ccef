import type { Spread } from '../measuring/statistics.js';

/** A line of the results table. */
export interface Figure {
  /** The name of the figure, for example `requests per second, GET /v1/changes to bare express`. */
  readonly name: string;
  /** The column, in a table with several figures per name. Without it, the figure is a line. */
  readonly column?: string;
  /** One number or a spread. For a spread, the limit applies to the median. */
  readonly value: number | Spread;
  /** The unit after the number, for example `ms`. A ratio has none. */
  readonly unit?: string;
  /** The number of digits after the decimal point. Default: 2. */
  readonly digits?: number;
  /** The minimum, if there is a limit. A figure has `atLeast` or `atMost`, never both. */
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** True if the figure is within its limit. Undefined without a limit. */
export function isWithinLimit({ value, atLeast, atMost }: Figure): boolean | undefined {
  const measured = typeof value === 'number' ? value : value.median;
  if (atLeast !== undefined) return measured >= atLeast;
  return atMost === undefined ? undefined : measured <= atMost;
}

/** Formats as `0.86 (0.81–0.92)`: median, minimum and maximum of all rounds. */
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
