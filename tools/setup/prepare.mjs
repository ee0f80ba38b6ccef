import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { compile, isCompiled } from './compile.mjs';
import { generateDatabaseClient, isDatabaseClientGenerated } from './generate.mjs';
import { arePackagesInstalled, installPackages } from './install.mjs';
import { withLock } from './lock.mjs';
import { root } from './root.mjs';
import { SetupError } from './setup-error.mjs';

/** In order: each needs the ones before it. */
const steps = [
  { isDone: arePackagesInstalled, act: installPackages, says: 'Installing packages (once; this may take a minute) …' },
  { isDone: isDatabaseClientGenerated, act: generateDatabaseClient, says: 'Generating the database client …' },
  { isDone: isCompiled, act: compile, says: 'Compiling …' },
];

/**
 * Brings the checkout to where its programs can run, doing only what is not done yet. Commands that start at the same
 * time wait for the one that was first.
 *
 * @param {{ quiet: boolean }} options `quiet` keeps progress off the terminal; errors are always shown.
 */
export async function prepare({ quiet }) {
  // Looking costs a few milliseconds and needs no lock, so that a finished checkout can be used by many at once.
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
      say(step.says);
      await step.act();
    }
  });
}
