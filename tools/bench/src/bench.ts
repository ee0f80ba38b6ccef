import type { Figure } from './reporting/figure.js';

/** One benchmark, run by `pnpm bench NAME`. */
export interface Bench {
  readonly title: string;
  /** Markdown that explains the comparison to readers of the results page. */
  readonly method: string;
  run(options: BenchOptions): Promise<readonly Figure[]>;
}

export interface BenchOptions {
  /** Few rows and short rounds: proves that the benchmark works, and says nothing about speed. */
  readonly quick: boolean;
  /** Directory for CPU profiles of the measured programs. Default: no profiles. */
  readonly profileDirectory: string | undefined;
  /** Duration of the load in benchmarks that detect a trend. Default: one or two minutes. */
  readonly minutes?: number | undefined;
  /** A part of the benchmark, as described in the usage of the command. */
  readonly only?: string | undefined;
  /** Prints a line of the raw output, which is stored beside the results. */
  say(line: string): void;
}
