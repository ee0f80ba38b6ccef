import type { Spread } from '../measuring/statistics.js';

export interface Figure {
  readonly name: string;
  readonly column?: string;
  /** For a spread, the limit applies to the median. */
  readonly value: number | Spread;
  /** Undefined for a ratio. */
  readonly unit?: string;
  readonly digits?: number;
  /** At most one of `atLeast` and `atMost` is set. */
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

export function isWithinLimit({ value, atLeast, atMost }: Figure): boolean | undefined {
  const measured = typeof value === 'number' ? value : value.median;
  if (atLeast !== undefined) return measured >= atLeast;
  return atMost === undefined ? undefined : measured <= atMost;
}

/** Formats a spread as `0.86 (0.81–0.92)`: median, minimum and maximum. */
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
