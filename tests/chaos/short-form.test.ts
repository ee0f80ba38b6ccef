import { everythingAtOnce } from './scenarios/everything.js';
import { testScenarios, useChaosStack } from './stage/on-stack.js';

/** The short form runs with all other tests. `pnpm test:chaos` runs the long form (tests/chaos/long). */
testScenarios(useChaosStack(), [everythingAtOnce({ rounds: 1, frozenMs: 24_000, seed: 20_261_121 })]);
