import { Command } from 'commander';
import type { Cli } from './cli.js';
import { accountCommands } from './nouns/account.js';
import { apiCommands } from './nouns/api.js';
import { artistCommands } from './nouns/artist.js';
import { brakeCommands } from './nouns/brake.js';
import { changeCommands } from './nouns/change.js';
import { deliveryCommands } from './nouns/delivery.js';
import { destinationCommands } from './nouns/destination.js';
import { doctorCommand } from './nouns/doctor.js';
import { feedCommands } from './nouns/feed.js';
import { keyCommands } from './nouns/key.js';
import { memberCommands } from './nouns/member.js';
import { platformCommands } from './nouns/platform.js';
import { queueCommands } from './nouns/queue.js';
import { receiverCommand } from './nouns/receiver.js';
import { snapshotCommands } from './nouns/snapshot.js';
import { verifyCommand } from './nouns/verify.js';

/** Every noun and verb (docs/reference/service.md). */
export function createProgram(cli: Cli): Command {
  const program = new Command('cli')
    .description('Operator and customer commands of Artist Watch.')
    .usage('NOUN VERB [options]')
    .option('--json', 'print one JSON document')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => cli.output.stdout.write(text),
      writeErr: (text) => cli.output.stderr.write(text),
      // Said once, by whoever catches the error.
      outputError: () => {},
    });
  accountCommands(program, cli);
  keyCommands(program, cli);
  memberCommands(program, cli);
  artistCommands(program, cli);
  destinationCommands(program, cli);
  deliveryCommands(program, cli);
  changeCommands(program, cli);
  feedCommands(program, cli);
  brakeCommands(program, cli);
  apiCommands(program, cli);
  snapshotCommands(program, cli);
  platformCommands(program, cli);
  queueCommands(program, cli);
  doctorCommand(program, cli);
  verifyCommand(program, cli);
  receiverCommand(program, cli);
  return program;
}
