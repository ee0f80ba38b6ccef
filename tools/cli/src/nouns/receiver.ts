import { once } from 'node:events';
import { durationMs, integer, port } from '@artist-watch/runtime/settings/settings';
import { listen } from '@artist-watch/runtime/settings/start-failure';
import { type Command, InvalidArgumentError } from 'commander';
import type { Cli } from '../cli.js';
import { parsedAs } from '../option-values.js';
import { describeWebhook } from '../receiver/received-webhook.js';
import { createReceiver } from '../receiver/server.js';

interface ReceiverOptions {
  readonly port: number;
  readonly host: string;
  readonly secret?: string[];
  readonly status: number;
  readonly delay: number;
  readonly json?: boolean;
}

export function receiverCommand(program: Command, cli: Cli): void {
  program
    .command('receiver')
    .description('run a local receiver that prints each webhook and checks its signature, until Ctrl-C')
    .requiredOption('--port <port>', 'port; 0 for any free port', parsedAs(port()))
    .option('--host <address>', 'IP address to listen on', '127.0.0.1')
    .option(
      '--secret <secret...>',
      "the destination's signing secret; repeat the option with both secrets during a rotation",
      nonEmpty,
    )
    .option('--status <status>', 'status of the responses', parsedAs(integer({ min: 200, max: 599 })), 204)
    .option('--delay <duration>', 'delay before each response, such as 9s', parsedAs(durationMs()), 0)
    .action(async (_options, command: Command) => {
      const { secret = [], status, delay, json = false, ...place } = command.optsWithGlobals<ReceiverOptions>();
      const receiver = createReceiver({ secrets: secret, status, delayMs: delay }, cli.clock, (received) => {
        cli.output.stdout.write(`${json ? JSON.stringify(received) : describeWebhook(received)}\n`);
      });
      const openPort = await listen(receiver, { ...place, setting: '--port' });
      cli.output.stderr.write(`Listening on http://${place.host}:${openPort}/\n`);
      await waitForInterrupt();
      receiver.close();
      receiver.closeAllConnections();
      await once(receiver, 'close');
    });
}

/** If the secret were empty, for example because a variable is unset, anyone could sign requests. */
function nonEmpty(text: string, others: readonly string[] = []): string[] {
  if (text.trim() === '') throw new InvalidArgumentError('The secret is empty. Omit --secret to skip the check.');
  return [...others, text];
}

async function waitForInterrupt(): Promise<void> {
  const received = new AbortController();
  const { signal } = received;
  await Promise.race([once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })]);
  received.abort();
}
