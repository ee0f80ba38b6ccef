import { ingestFrozen, workerFrozenAndLetGo, workerFrozenForLessThanItsClaim } from '../scenarios/processes.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';

testScenarios(useChaosStack(), [workerFrozenAndLetGo(1), workerFrozenForLessThanItsClaim(1), ingestFrozen(1)]);
