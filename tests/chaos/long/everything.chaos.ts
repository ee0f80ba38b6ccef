import { everythingAtOnce } from '../scenarios/everything.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';

/** The seed of a failed run repeats its order. */
const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);

testScenarios(useChaosStack(), [everythingAtOnce({ rounds: 2, frozenMs: 30_000, seed })]);
