import type { Figure } from './reporting/figure.js';

/** Run by `pnpm bench NAME`. */
export interface Bench {
  readonly title: string;
  /** Markdown for the results page. */
  readonly method: string;
  run(options: BenchOptions): Promise<readonly Figure[]>;
}

export interface BenchOptions {
  /** Uses few rows and short rounds, which prove that the benchmark works. The figures mean nothing. */
  readonly quick: boolean;
  /** Directory for CPU profiles. Default: no profiles. */
  readonly profileDirectory: string | undefined;
  /** Duration of the load in benchmarks that detect a trend. Default: one or two minutes. */
  readonly minutes?: number | undefined;
  /** The part of the benchmark to run. */
  readonly only?: string | undefined;
  /** Prints a line of the raw output, which is saved with the results. */
  say(line: string): void;
}
