import type { Figure } from './reporting/figure.js';

/** One benchmark, run by `pnpm bench NAME`. */
export interface Bench {
  readonly title: string;
  /** Markdown that explains the comparison on the results page. */
  readonly method: string;
  run(options: BenchOptions): Promise<readonly Figure[]>;
}

export interface BenchOptions {
  /** Uses few rows and short rounds. A quick run proves that the benchmark works, but its figures mean nothing. */
  readonly quick: boolean;
  /** Directory for CPU profiles of the measured programs. Default: no profiles. */
  readonly profileDirectory: string | undefined;
  /** How long the load runs in benchmarks that detect a trend. Default: one or two minutes. */
  readonly minutes?: number | undefined;
  /** The part of the benchmark to run. The command's usage lists the parts. */
  readonly only?: string | undefined;
  /** Prints a line of the raw output, which is saved with the results. */
  say(line: string): void;
}
