import type { Round } from '../measuring/rounds.js';
import type { BenchServers } from '../processes/bench-servers.js';

/** How much a run measures. */
interface Extent {
  readonly fewChanges: number;
  readonly manyChanges: number;
  readonly rounds: number;
  readonly connections: number;
  /** Answers before the first round: fewer, and some of what is measured is the compiler at work. */
  readonly warmUpAnswers: number;
  readonly roundMs: number;
  /** Of a round with requests that arrive at a steady rate: long enough that 1 in 100 is more than a few. */
  readonly steadyRoundMs: number;
  readonly countedRequests: number;
}

export const FULL: Extent = {
  fewChanges: 10_000,
  manyChanges: 5_000_000,
  rounds: 20,
  connections: 16,
  warmUpAnswers: 3_000,
  roundMs: 800,
  steadyRoundMs: 3_000,
  countedRequests: 500,
};

export const QUICK: Extent = {
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
  readonly extent: Extent;
  readonly sayRound: (round: Round) => void;
}
