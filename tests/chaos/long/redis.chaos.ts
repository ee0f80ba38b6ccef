import {
  redisFlushed,
  redisFlushedWithThousands,
  redisReplaced,
  serverFrozen,
  serverFrozenAndKilled,
} from '../scenarios/data-servers.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';

testScenarios(useChaosStack(), [
  redisFlushed(8),
  redisFlushedWithThousands(1_000, 2),
  redisReplaced(4),
  // For longer than a job's lock.
  serverFrozen('redis', 20_000, 1),
  serverFrozenAndKilled('redis', 2),
]);
