import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { readConfig } from '@artist-watch/cli/config';
import { runCli } from '@artist-watch/cli/run';
import { useSuite } from '@artist-watch/harness/suite';
import { type Clock, systemClock } from '@artist-watch/runtime/clock';

export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TestCli {
  run(...args: string[]): Promise<CliResult>;
  /** Adds --json. The command must succeed and print one document. */
  json<Shape = Record<string, unknown>>(...args: string[]): Promise<Shape>;
  /** The command must fail with a one-sentence message. */
  refusal(...args: string[]): Promise<string>;
}

export async function cliEnvironment(): Promise<Record<string, string>> {
  const { databaseUrl, redisUrl } = await useSuite();
  return {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
  };
}

/** This process runs the same code as main.ts. */
export function createTestCli(env: Record<string, string>, clock: Clock = systemClock): TestCli {
  async function run(...args: string[]): Promise<CliResult> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const [out, err] = [text(stdout), text(stderr)];
    const exitCode = await runCli(args, readConfig(env), clock, { stdout, stderr });
    stdout.end();
    stderr.end();
    return { exitCode, stdout: await out, stderr: await err };
  }
  return {
    run,
    async json<Shape>(...args: string[]) {
      const { exitCode, stdout, stderr } = await run(...args, '--json');
      if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`);
      return JSON.parse(stdout) as Shape;
    },
    async refusal(...args) {
      const { exitCode, stdout, stderr } = await run(...args);
      if (exitCode !== 1 || stdout !== '') throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stdout}`);
      return stderr;
    },
  };
}
