import { everyWorkerKilledAtOnce, workersAndIngestKilled } from '../scenarios/processes.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';

testScenarios(useChaosStack(), [workersAndIngestKilled(5), everyWorkerKilledAtOnce(2)]);
