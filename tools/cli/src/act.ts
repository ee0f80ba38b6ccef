import type { Command } from 'commander';
import type { Cli } from './cli.js';
import { type Answer, print } from './print.js';

/** The action of a command: runs it with its options and prints what it found. */
export function act<Options>(
  cli: Cli,
  run: (options: Options) => Promise<Answer>,
): (options: unknown, command: Command) => Promise<void> {
  return async (_options, command) => {
    const options = command.optsWithGlobals<Options & { readonly json?: boolean }>();
    await print(await run(options), options.json === true, cli.output.stdout);
  };
}
