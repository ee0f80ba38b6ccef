/**
 * Interpolates linearly, like spreadsheets and NumPy.
 * @param share 0.5 for the median, 0.99 for p99.
 * @throws RangeError if the sample is empty.
 */
export function quantile(sample: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(sample).sort();
  if (sorted.length === 0) throw new RangeError('An empty sample has no quantile.');
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}

export function median(sample: Iterable<number>): number {
  return quantile(sample, 0.5);
}

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly greatest: number;
}

export function spreadOf(sample: readonly number[]): Spread {
  return { median: median(sample), least: quantile(sample, 0), greatest: quantile(sample, 1) };
}
