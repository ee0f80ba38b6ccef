import { everythingAtOnce } from './scenarios/everything.js';
import { testScenarios, useChaosStack } from './stage/on-stack.js';

/** The short form, a part of every run of the tests; `pnpm test:chaos` runs the long one (tests/chaos/long). */
testScenarios(useChaosStack(), [everythingAtOnce({ rounds: 1, frozenMs: 24_000, seed: 20_261_121 })]);
