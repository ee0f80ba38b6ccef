import { postgresKilled, serverFrozen, serverFrozenAndKilled } from '../scenarios/data-servers.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';

testScenarios(useChaosStack(), [
  // Statement timeouts and claims are shorter.
  serverFrozen('postgres', 40_000, 1),
  postgresKilled(3),
  serverFrozenAndKilled('postgres', 1),
]);
