import type { Round } from '../measuring/rounds.js';
import type { BenchServers } from '../processes/bench-servers.js';

export const FULL = {
  fewChanges: 10_000,
  manyChanges: 5_000_000,
  rounds: 20,
  connections: 16,
  /** With fewer requests, the measurement would include V8's compilation time. */
  warmUpAnswers: 3_000,
  roundMs: 800,
  /** A shorter round would have too few requests to calculate a 99th percentile. */
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

export interface ApiBenchRun {
  readonly servers: BenchServers;
  readonly extent: typeof FULL;
  readonly printRound: (round: Round) => void;
}
