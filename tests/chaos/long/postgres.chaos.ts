import { postgresKilled, serverFrozen, serverFrozenAndKilled } from '../scenarios/data-servers.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';

testScenarios(useChaosStack(), [
  serverFrozen('postgres', 10_000, 1),
  // For longer than any statement waits, or a claim lasts.
  serverFrozen('postgres', 40_000, 1),
  postgresKilled(4),
  serverFrozenAndKilled('postgres', 2),
]);
