import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { compile, isCompiled } from './compile.mjs';
import { areSourcesGenerated, generateSources } from './generate.mjs';
import { arePackagesInstalled, installPackages } from './install.mjs';
import { withLock } from './lock.mjs';
import { root } from './root.mjs';
import { SetupError } from './setup-error.mjs';

/** Each step needs the results of the previous ones. */
const steps = [
  {
    isDone: arePackagesInstalled,
    act: installPackages,
    message: 'Installing packages (once; this may take a minute) …',
  },
  { isDone: areSourcesGenerated, act: generateSources, message: 'Generating the database client and API types …' },
  { isDone: isCompiled, act: compile, message: 'Compiling …' },
];

/**
 * Runs the missing steps. Concurrent commands wait for the first one.
 * @param {{ quiet: boolean }} options `quiet` hides the progress. Errors are always shown.
 */
export async function prepare({ quiet }) {
  // This check needs no lock, so that commands in a finished checkout run concurrently.
  if (steps.every((step) => step.isDone())) return;
  const say = quiet ? () => undefined : (line) => process.stderr.write(`${line}\n`);
  const state = path.join(root, '.setup');
  try {
    mkdirSync(state, { recursive: true });
  } catch (error) {
    throw new SetupError(`This checkout cannot be set up: ${error.message}.`);
  }
  await withLock(path.join(state, 'lock'), say, async () => {
    for (const step of steps) {
      if (step.isDone()) continue;
      say(step.message);
      await step.act();
    }
  });
}
