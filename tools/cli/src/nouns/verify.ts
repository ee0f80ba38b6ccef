import { integer } from '@artist-watch/runtime/settings/settings';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { AlreadyReported } from '../failure.js';
import { readInput } from '../input-file.js';
import { parsedAs } from '../option-values.js';
import { refusalOf } from '../receiver/received-webhook.js';

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
    .description('check the signature of a webhook; exits with 1 when it is not valid')
    .requiredOption('--secret <secret...>', 'of the destination; both while it is being rotated')
    .requiredOption('--header <value>', 'of X-Service-Signature')
    .requiredOption('--body-file <file>', 'the raw body as it arrived; - for standard input')
    .option('--now <unix>', 'seconds, instead of the present time', parsedAs(integer({ min: 0, max: LATEST_SECOND })))
    .action(async ({ secret, header, bodyFile, now }: VerifyOptions) => {
      const body = await readInput(bodyFile, (bytes) => bytes);
      const reason = refusalOf({ secret, header, body, now: now ?? cli.clock.now() });
      // JSON in either mode: it is as short as any text.
      cli.output.stdout.write(`${JSON.stringify({ valid: reason === null, reason })}\n`);
      if (reason !== null) throw new AlreadyReported();
    });
}
