import type { Figure } from './reporting/figure.js';

/** One benchmark, run by `pnpm bench NAME`. */
export interface Bench {
  readonly title: string;
  /** Markdown: what is compared with what, and how, for somebody who reads only the page of results. */
  readonly method: string;
  run(options: BenchOptions): Promise<readonly Figure[]>;
}

export interface BenchOptions {
  /** Few rows and short rounds: shows that the benchmark works, and says nothing about speed. */
  readonly quick: boolean;
  /** Where the measured programs leave their CPU profiles; none are taken when it is left out. */
  readonly profileDirectory: string | undefined;
  /** How long load is kept up by what looks for a trend; a minute or two unless given. */
  readonly minutes?: number | undefined;
  /** Only a part of the benchmark, as the usage of the command says; where a benchmark has parts. */
  readonly only?: string | undefined;
  /** A line of the raw figures; shown as the benchmark runs, and kept beside its results. */
  say(line: string): void;
}
