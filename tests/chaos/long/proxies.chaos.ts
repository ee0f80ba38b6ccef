import { proxiesFlapping, proxyFrozen } from '../scenarios/processes.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';

testScenarios(useChaosStack(), [proxiesFlapping(5), proxyFrozen(1)]);
