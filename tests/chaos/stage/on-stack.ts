import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ChaosStack, startChaosStack } from './chaos-stack.js';
import { perform, type Scenario } from './scene.js';

const startTimeoutMs = 120_000;
/** This timeout only ends scenarios that hang. */
const scenarioTimeoutMs = 600_000;

/** All tests of one file share the stack. */
export function useChaosStack(env: () => Readonly<Record<string, string>> = () => ({})): () => ChaosStack {
  let stack: ChaosStack | undefined;
  beforeAll(async () => {
    stack = await startChaosStack(env());
  }, startTimeoutMs);
  afterAll(() => stack?.stop(), startTimeoutMs);
  return () => {
    if (!stack) throw new Error('The stack has not started.');
    return stack;
  };
}

/** Each test checks that no promise is broken. */
export function testScenarios(stack: () => ChaosStack, scenarios: readonly Scenario[]): void {
  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    'nothing is lost: %s',
    async (_name, scenario) => {
      expect(await perform(stack(), scenario)).toEqual([]);
    },
    scenarioTimeoutMs,
  );
}
