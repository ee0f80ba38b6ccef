export interface MemorySample {
  readonly minute: number;
  /** One megabyte is 10^6 bytes. */
  readonly megabytes: number;
}

/**
 * A window's minimum reveals a leak better than a single sample, which depends on when the garbage collector last ran.
 */
export function floorsOf(samples: readonly MemorySample[], windowMinutes: number): MemorySample[] {
  const floors = new Map<number, MemorySample>();
  for (const sample of samples) {
    const window = Math.floor(sample.minute / windowMinutes);
    const floor = floors.get(window);
    if (floor === undefined || sample.megabytes < floor.megabytes) floors.set(window, sample);
  }
  return [...floors.values()];
}

/** Returns the least-squares slope in MB per hour. */
export function trendOf(samples: readonly MemorySample[]): number {
  const mean = (of: (sample: MemorySample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const [minute, megabytes] = [mean((sample) => sample.minute), mean((sample) => sample.megabytes)];
  const covariance = mean((sample) => (sample.minute - minute) * (sample.megabytes - megabytes));
  const variance = mean((sample) => (sample.minute - minute) ** 2);
  return variance > 0 ? (covariance / variance) * 60 : 0;
}
