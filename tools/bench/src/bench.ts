import type { Figure } from './reporting/figure.js';

export interface Bench {
  readonly title: string;
  readonly method: string;
  run(options: BenchOptions): Promise<readonly Figure[]>;
}

export interface BenchOptions {
  /** A quick run only proves that the benchmark works. Its figures are meaningless. */
  readonly quick: boolean;
  readonly profileDirectory: string | undefined;
  /** Only used by benchmarks that detect a trend. Default: one or two minutes. */
  readonly minutes?: number | undefined;
  readonly only?: string | undefined;
  /** Prints a line that is saved with the results. */
  say(line: string): void;
}
