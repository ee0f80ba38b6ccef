import type { Command, Option } from 'commander';
import type { Cli } from './cli.js';
import { type Answer, print } from './print.js';

/** An option of a command. */
export interface VerbOption<Value> {
  /** Creates the commander options. Most options have only one flag. */
  declare(flag: string): readonly Option[];
  /** Exists only to carry the type of the value. It is never called. */
  readonly gives?: () => Value;
}

/** The options of a command by name. The name `platformId` becomes the flag `--platform-id`. */
export type VerbOptions = Readonly<Record<string, VerbOption<unknown>>>;

export type ValuesOf<Options extends VerbOptions> = {
  readonly [Name in keyof Options]: Options[Name] extends VerbOption<infer Value> ? Value : never;
};

/** Adds a verb to a noun. `run` executes the command and returns its output. */
export type AddVerb = <Options extends VerbOptions>(
  name: string,
  description: string,
  options: Options,
  run: (values: ValuesOf<Options>) => Promise<Answer>,
) => void;

/** Adds a noun to the program. */
export function addNoun(program: Command, cli: Cli, name: string, description: string): AddVerb {
  const noun = program.command(name).description(description);
  return (verb, explanation, options, run) => {
    const command = noun.command(verb).description(explanation);
    for (const [key, { declare }] of Object.entries(options)) {
      for (const option of declare(toFlag(key))) command.addOption(option);
    }
    command.action(act(cli, run));
  };
}

function toFlag(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Creates the action of a command, which runs it and prints the result. */
export function act<Options>(
  cli: Cli,
  run: (options: Options) => Promise<Answer>,
): (options: unknown, command: Command) => Promise<void> {
  return async (_options, command) => {
    const options = command.optsWithGlobals<Options & { readonly json?: boolean }>();
    await print(await run(options), options.json === true, cli.output.stdout);
  };
}
