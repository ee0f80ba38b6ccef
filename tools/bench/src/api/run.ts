import type { Round } from '../measuring/rounds.js';
import type { BenchServers } from '../processes/bench-servers.js';

/** How much a run measures. */
export const FULL = {
  fewChanges: 10_000,
  manyChanges: 5_000_000,
  rounds: 20,
  connections: 16,
  /** Before the first round: fewer, and some of what is measured is the compiler at work. */
  warmUpAnswers: 3_000,
  roundMs: 800,
  /** With requests that arrive at a steady rate: long enough that 1 in 100 is more than a few. */
  steadyRoundMs: 3_000,
  countedRequests: 500,
};

export const QUICK: typeof FULL = {
  fewChanges: 2_500,
  manyChanges: 5_000,
  rounds: 1,
  connections: 2,
  warmUpAnswers: 10,
  roundMs: 100,
  steadyRoundMs: 200,
  countedRequests: 10,
};

/** What every part of the benchmark works with. */
export interface ApiBenchRun {
  readonly servers: BenchServers;
  readonly extent: typeof FULL;
  readonly sayRound: (round: Round) => void;
}
