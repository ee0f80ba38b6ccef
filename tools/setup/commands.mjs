import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { runChecks } from './checks.mjs';
import { followParent } from './follow-parent.mjs';
import { prepare } from './prepare.mjs';
import { root } from './root.mjs';
import { SetupError } from './setup-error.mjs';
import { runTests, suiteCommands } from './tests.mjs';

/** Programs run in this process, so that signals, input and exit codes need no forwarding. */
const commands = {
  start: { program: 'tools/local-stack/dist/demo-main.js' },
  stack: { program: 'tools/local-stack/dist/main.js', quiet: true },
  cli: { program: 'tools/cli/dist/main.js', quiet: true },
  bench: { program: 'tools/bench/dist/main.js', quiet: true },
  migrate: { program: 'packages/persistence/dist/migrate-main.js', quiet: true },
  openapi: { program: 'packages/contracts/dist/openapi/write-main.js', quiet: true },
  metrics: { program: 'tools/metrics/dist/write-main.js', quiet: true },
  build: { run: async () => 0 },
  check: { run: runChecks },
  test: { run: runTests },
  ...suiteCommands,
};

/**
 * Prepares the checkout, runs the command and sets the exit code.
 * @param {string | undefined} name
 * @param {string[]} args
 */
export async function runCommand(name, args) {
  try {
    const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
    if (!command)
      throw new SetupError(`Unknown command "${name ?? ''}". Use one of ${Object.keys(commands).join(', ')}.`);
    await prepare({ quiet: command.quiet ?? false });
    followParent();
    if (command.run) process.exitCode = await command.run(args);
    else await runProgram(path.join(root, command.program), args);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

async function runProgram(program, args) {
  process.argv = [process.execPath, program, ...args];
  await import(pathToFileURL(program).href);
}
