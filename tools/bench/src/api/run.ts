import type { Redis } from 'ioredis';
import type { Round } from '../measuring/rounds.js';
import type { DataServers } from '../processes/data-servers.js';
import type { Extent } from './extent.js';

/** What every part of the benchmark works with. */
export interface ApiBenchRun {
  readonly data: DataServers;
  readonly redis: Redis;
  readonly extent: Extent;
  readonly sayRound: (round: Round) => void;
}
