import type { Clock } from '@artist-watch/runtime/clock';
import { Command } from 'commander';
import { type Cli, openCli } from './cli.js';
import type { Config } from './config.js';
import { exitCodeFor, sentenceFor } from './failure.js';
import type { Output } from './print.js';

type AddCommands = (program: Command, cli: Cli) => void;

/** Loaded on demand, because importing all nouns takes longer than most commands. */
const NOUNS: Readonly<Record<string, () => Promise<AddCommands>>> = {
  account: async () => (await import('./nouns/account.js')).accountCommands,
  key: async () => (await import('./nouns/key.js')).keyCommands,
  member: async () => (await import('./nouns/member.js')).memberCommands,
  artist: async () => (await import('./nouns/artist.js')).artistCommands,
  destination: async () => (await import('./nouns/destination.js')).destinationCommands,
  delivery: async () => (await import('./nouns/delivery.js')).deliveryCommands,
  change: async () => (await import('./nouns/change.js')).changeCommands,
  feed: async () => (await import('./nouns/feed.js')).feedCommands,
  brake: async () => (await import('./nouns/brake.js')).brakeCommands,
  api: async () => (await import('./nouns/api.js')).apiCommands,
  snapshot: async () => (await import('./nouns/snapshot.js')).snapshotCommands,
  platform: async () => (await import('./nouns/platform.js')).platformCommands,
  queue: async () => (await import('./nouns/queue.js')).queueCommands,
  doctor: async () => (await import('./nouns/doctor.js')).doctorCommand,
  verify: async () => (await import('./nouns/verify.js')).verifyCommand,
  receiver: async () => (await import('./nouns/receiver.js')).receiverCommand,
};

/**
 * Only registers the noun in `args`. Help and error messages need all nouns to be registered
 * (docs/reference/service.md).
 */
async function createProgram(cli: Cli, args: readonly string[]): Promise<Command> {
  const program = new Command('cli')
    .description('Operator and customer commands of Artist Watch.')
    .usage('NOUN VERB [options]')
    .option('--json', 'print one JSON document')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => cli.output.stdout.write(text),
      writeErr: (text) => cli.output.stderr.write(text),
      // `runCli` prints errors.
      outputError: () => {},
    });
  const noun = args.find((arg) => !arg.startsWith('-')) ?? '';
  const loaders = Object.hasOwn(NOUNS, noun) ? [NOUNS[noun]] : Object.values(NOUNS);
  for (const load of loaders) (await load?.())?.(program, cli);
  return program;
}

/**
 * Prints errors to stderr as one sentence. Returns the exit code.
 * @param args without the program name.
 */
export async function runCli(args: readonly string[], config: Config, clock: Clock, output: Output): Promise<number> {
  const cli = openCli(config, clock, output);
  try {
    const program = await createProgram(cli, args);
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    const sentence = sentenceFor(error);
    if (sentence !== undefined) output.stderr.write(`${sentence}\n`);
    return exitCodeFor(error);
  } finally {
    await cli.close();
  }
}
