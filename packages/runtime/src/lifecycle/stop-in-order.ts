export interface StopStep {
  readonly name: string;
  stop(): Promise<unknown>;
}

/**
 * Stops parts one after the other, in the order given (take nothing new, finish what runs, close what it ran on). A part
 * that fails does not keep the later ones from being stopped; what failed is thrown at the end, each with its name.
 */
export async function stopInOrder(steps: readonly StopStep[]): Promise<void> {
  const failures: Error[] = [];
  for (const step of steps) {
    try {
      await step.stop();
    } catch (cause) {
      failures.push(new Error(`${step.name} did not stop cleanly`, { cause }));
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) {
    throw new AggregateError(failures, failures.map((failure) => failure.message).join('; '));
  }
}
