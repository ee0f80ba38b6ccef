import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { examine } from '../doctor/examine.js';
import { asDocument, asList, isHealthy } from '../doctor/report.js';
import { ToldAlready } from '../failure.js';

export function doctorCommand(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description(
      'look at everything that the services run on, and say what to mend; exits with 1 when something must be',
    )
    .action(async (_options, command: Command) => {
      const findings = await examine(cli.config.environment(), cli.clock);
      const { json = false } = command.optsWithGlobals<{ readonly json?: boolean }>();
      cli.output.stdout.write(`${json ? JSON.stringify(asDocument(findings)) : asList(findings)}\n`);
      if (!isHealthy(findings)) throw new ToldAlready();
    });
}
