import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { REPLICAS, readReplicas } from '../doctor/checks/database.js';
import { examine, examinePlatformAlone } from '../doctor/examine.js';
import { asDocument, asList, isHealthy } from '../doctor/finding.js';
import { AlreadyReported, UsageError } from '../failure.js';
import { listOf } from '../option-values.js';

interface DoctorOptions {
  readonly json?: boolean;
  readonly platform?: boolean;
  readonly artist?: string;
  readonly replicas?: readonly string[];
}

export function doctorCommand(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description('check all dependencies of the services and suggest fixes; exit code 1 if a check fails')
    .option('--platform', 'check only the platform: read one artist, and list the fields that it shows and hides')
    .option('--artist <id>', 'with --platform: read this artist instead of a well-known one')
    .option(
      '--replicas <list>',
      'maximum number of replicas during a rollout, to check their PostgreSQL connections: api=21,webhook-worker=63x4 ' +
        '(x4: DATABASE_POOL_SIZE is 4)',
      listOf(REPLICAS, 'api=21 or webhook-worker=63x4'),
    )
    .action(async (_options, command: Command) => {
      const { json = false, platform = false, artist, replicas = [] } = command.optsWithGlobals<DoctorOptions>();
      if (artist !== undefined && !platform) throw new UsageError('--artist needs --platform.');
      const findings = platform
        ? await examinePlatformAlone(cli.config, cli.clock, artist)
        : await examine(cli.config.environment(), cli.clock, replicas.map(readReplicas));
      cli.output.stdout.write(`${json ? JSON.stringify(asDocument(findings)) : asList(findings)}\n`);
      if (!isHealthy(findings)) throw new AlreadyReported();
    });
}
