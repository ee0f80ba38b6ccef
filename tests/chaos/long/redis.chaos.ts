import {
  redisEvicts,
  redisFlushed,
  redisFlushedWithThousands,
  redisReplaced,
  serverFrozen,
  serverFrozenAndKilled,
} from '../scenarios/data-servers.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';

testScenarios(useChaosStack(), [
  redisFlushed(5),
  redisFlushedWithThousands(10, 3),
  redisEvicts(3),
  redisReplaced(3),
  // A job's lock is shorter.
  serverFrozen('redis', 20_000, 1),
  serverFrozenAndKilled('redis', 1),
]);
