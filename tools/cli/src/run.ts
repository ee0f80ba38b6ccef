import type { Clock } from '@artist-watch/runtime/clock';
import { openCli } from './cli.js';
import type { Config } from './config.js';
import { exitCodeFor, sentenceFor } from './failure.js';
import type { Output } from './print.js';
import { createProgram } from './program.js';

/**
 * Runs one command.
 *
 * @param args without the program's own name.
 * @returns the exit code; a failure has been printed on stderr, in one sentence.
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
