import type { Command, Option } from 'commander';
import type { Cli } from './cli.js';
import { type Answer, print } from './print.js';

export interface VerbOption<Value> {
  declare(flag: string): readonly Option[];
  readonly gives?: () => Value;
}

/** The option `platformId` becomes the flag `--platform-id`. */
export type VerbOptions = Readonly<Record<string, VerbOption<unknown>>>;

export type ValuesOf<Options extends VerbOptions> = {
  readonly [Name in keyof Options]: Options[Name] extends VerbOption<infer Value> ? Value : never;
};

export type AddVerb = <Options extends VerbOptions>(
  name: string,
  description: string,
  options: Options,
  run: (values: ValuesOf<Options>) => Promise<Answer>,
) => void;

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

export function act<Options>(
  cli: Cli,
  run: (options: Options) => Promise<Answer>,
): (options: unknown, command: Command) => Promise<void> {
  return async (_options, command) => {
    const options = command.optsWithGlobals<Options & { readonly json?: boolean }>();
    await print(await run(options), options.json === true, cli.output.stdout);
  };
}
