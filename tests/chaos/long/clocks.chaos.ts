import { ingestClockWrong, workerClockStepped } from '../scenarios/clocks.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';

testScenarios(useChaosStack(), [workerClockStepped(1), ingestClockWrong(3)]);
