import { integer } from '@artist-watch/runtime/settings/settings';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { AlreadyReported } from '../failure.js';
import { readInput } from '../input-file.js';
import { parsedAs } from '../option-values.js';
import { checkSignature } from '../receiver/received-webhook.js';

interface VerifyOptions {
  readonly secret: string[];
  readonly header: string;
  readonly bodyFile: string;
  readonly now?: number;
}

const LATEST_SECOND = 100_000_000_000;

export function verifyCommand(program: Command, cli: Cli): void {
  program
    .command('verify')
    .description('check the signature of a webhook; exit code 1 if it is invalid')
    .requiredOption(
      '--secret <secret...>',
      "the destination's signing secret; repeat the option with both secrets during a rotation",
    )
    .requiredOption('--header <value>', 'value of X-Service-Signature')
    .requiredOption('--body-file <file>', 'raw body as received; - for standard input')
    .option('--now <unix>', 'seconds; default: the current time', parsedAs(integer({ min: 0, max: LATEST_SECOND })))
    .action(async ({ secret, header, bodyFile, now }: VerifyOptions) => {
      const body = await readInput(bodyFile, (bytes) => bytes);
      const reason = checkSignature({ secret, header, body, now: now ?? cli.clock.now() });
      // Always prints JSON, because plain text would be no shorter.
      cli.output.stdout.write(`${JSON.stringify({ valid: reason === null, reason })}\n`);
      if (reason !== null) throw new AlreadyReported();
    });
}
