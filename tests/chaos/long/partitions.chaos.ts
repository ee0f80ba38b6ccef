import { ingestCutOff, workerCutOff } from '../scenarios/partitions.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';

/** Longer than a job's lock and a claim, so that others have what the replica had before it is back. */
const silentMs = 35_000;

testScenarios(useChaosStack(), [
  workerCutOff('redis', silentMs),
  workerCutOff('postgres', silentMs),
  workerCutOff('both', silentMs),
  ingestCutOff('both', silentMs),
]);
