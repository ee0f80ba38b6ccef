/** The memory of a process at one moment of a run. */
export interface MemorySample {
  /** Minutes since the start of the load. */
  readonly minute: number;
  /** Resident size in 10^6 bytes. */
  readonly megabytes: number;
}

/**
 * The minimum of each `windowMinutes` with samples: the memory after a collection. Single samples vary with the time of
 * the last collection more than with a leak.
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

/** Least-squares slope in MB per hour. */
export function trendOf(samples: readonly MemorySample[]): number {
  const mean = (of: (sample: MemorySample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const [minute, megabytes] = [mean((sample) => sample.minute), mean((sample) => sample.megabytes)];
  const covariance = mean((sample) => (sample.minute - minute) * (sample.megabytes - megabytes));
  const variance = mean((sample) => (sample.minute - minute) ** 2);
  return variance > 0 ? (covariance / variance) * 60 : 0;
}
