import type { Command, Option } from 'commander';
import type { Cli } from './cli.js';
import { type Answer, print } from './print.js';

/** Adds a verb to a noun; `run` says what it does with its options, and finds what is printed. */
export type AddVerb = (
  name: string,
  description: string,
  options?: readonly Option[],
) => { run<Options>(run: (options: Options) => Promise<Answer>): void };

/** Adds a noun to the program. */
export function nounOf(program: Command, cli: Cli, name: string, description: string): AddVerb {
  const noun = program.command(name).description(description);
  return (verb, explanation, options = []) => {
    const command = noun.command(verb).description(explanation);
    for (const option of options) command.addOption(option);
    return { run: (run) => void command.action(act(cli, run)) };
  };
}

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
