import { writeFile } from 'node:fs/promises';
import { budgetKey } from '@artist-watch/catalogue/create-platform-client';
import { type ReadingResult, Recorder, recordingSchema, replay, runReading } from '@artist-watch/catalogue/recording';
import { openCommandConnection, whenReady } from '@artist-watch/delivery/queue/connection';
import { reach } from '@artist-watch/runtime/settings/start-failure';
import { type Command, Option } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { readInput } from '../input-file.js';
import { act } from '../noun.js';
import { withPlatformClient } from '../platform/with-platform-client.js';
import { one } from '../print.js';
import type { Shown } from '../text.js';

const REDIS_TIMEOUT_MS = 5_000;

interface RecordOptions {
  readonly artist: string;
  readonly out: string;
  readonly depth: 'shallow' | 'deep' | 'full';
  readonly release?: string[];
}

export function platformCommands(program: Command, cli: Cli): void {
  const platform = program
    .command('platform')
    .description('record and replay platform responses, or end a pause that the platform required');

  platform
    .command('record')
    .description('read an artist once and save the responses without credentials, for a bug report')
    .requiredOption('--artist <id>', 'id on the streaming platform')
    .requiredOption('--out <file>', 'output file (JSON); - for standard output')
    .addOption(
      new Option('--depth <depth>', 'shallow: list of releases; deep: each release too; full: each track too')
        .choices(['shallow', 'deep', 'full'])
        .default('shallow'),
    )
    .option('--release <id...>', 'also read these releases in detail, and look each of them up by id')
    .action(async (options: RecordOptions, command: Command) => {
      const { recording, result } = await record(cli, options);
      const text = `${JSON.stringify(recording, null, 2)}\n`;
      if (options.out === '-') {
        cli.output.stdout.write(text);
        return;
      }
      await writeText(options.out, text);
      const answer = { file: options.out, answers: recording.answers.length, ...summary(result) };
      await act(cli, async () => one(answer))(options, command);
    });

  platform
    .command('replay')
    .description('read a recording with this version of Artist Watch, and print the result')
    .argument('<file>', 'recording made by `platform record`')
    .action(async (file: string, options: unknown, command: Command) => {
      const recording = await readRecording(file);
      await act(cli, async () => {
        const { unanswered, ...result } = await replay(recording, new AbortController().signal);
        const { observation } = result;
        return one({
          ...summary(result),
          not_in_recording: unanswered,
          catalogue: observation.kind === 'complete' ? observation.state : null,
        });
      })(options, command);
    });

  platform
    .command('resume')
    .description('end the pause that the platform required, for all services that use REDIS_URL')
    .action(act(cli, async () => one(await resume(cli))));
}

async function resume(cli: Cli) {
  const settings = cli.config.platformAccess();
  const { REDIS_URL } = settings;
  if (REDIS_URL === undefined) throw new UsageError('The pause is stored in Redis. Set REDIS_URL.');
  const redis = openCommandConnection(REDIS_URL, { commandTimeoutMs: REDIS_TIMEOUT_MS });
  try {
    const key = budgetKey(settings);
    await reach({ what: 'Redis', setting: 'REDIS_URL', url: REDIS_URL }, () => whenReady(redis, REDIS_TIMEOUT_MS));
    await redis.del(key);
    return { platform: settings.PLATFORM, budget: key, paused: false };
  } finally {
    redis.disconnect();
  }
}

async function record(cli: Cli, { artist, depth, release = [] }: RecordOptions) {
  const settings = cli.config.platformAccess();
  const request = { artist_platform_id: artist, depth, release_platform_ids: release };
  const recorder = new Recorder();
  const result = await withPlatformClient(settings, cli.clock, { onResponse: recorder.onResponse }, (client) =>
    runReading(client, request, new AbortController().signal),
  );
  return { result, recording: recorder.toRecording(settings.PLATFORM, request, cli.clock.now()) };
}

function summary({ observation, direct }: ReadingResult): Shown {
  return {
    observation: observation.kind,
    incomplete_reason: observation.kind === 'incomplete' ? observation.reason : null,
    releases: observation.kind === 'complete' ? observation.state.releases.length : null,
    direct: Object.fromEntries(direct.map(({ releasePlatformId, answer }) => [releasePlatformId, answer])),
  };
}

async function writeText(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new UsageError(`The file ${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}

async function readRecording(file: string) {
  const parsed = recordingSchema.safeParse(await readInput(file, (bytes) => asJson(bytes.toString('utf8'))));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'the whole file';
  throw new UsageError(`The file ${file} is not a platform recording (${where}: ${issue?.message}).`);
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
