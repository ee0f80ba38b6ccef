import { runService } from '@artist-watch/runtime/lifecycle/lifecycle';
import { StartError } from '@artist-watch/runtime/settings/start-failure';
import { parseStackOptions, usage } from './stack/options.js';
import { startStack } from './stack/stack.js';

/** Entry point of `pnpm stack up`. */
const [verb, ...args] = process.argv.slice(2);

if (args.includes('--help') || verb === '--help' || verb === 'help') {
  process.stdout.write(`${usage}\n`);
} else {
  runService({
    name: 'local-stack',
    async start(signal) {
      if (verb !== 'up')
        throw new StartError(`Unknown command "${verb ?? ''}". Use "pnpm stack up" (--help for options).`);
      const options = parseStackOptions(args);
      const report = (line: string) => process.stderr.write(`local-stack: ${line}\n`);
      const stack = await startStack(options, { environment: process.env, report, signal });
      const { state } = stack;
      process.stdout.write(
        `Ready: API ${state.apiUrl}, key ${state.apiKey}, ingest ${state.ingestUrl}, logs ${state.logsDirectory}. Ctrl-C stops everything.\n`,
      );
      return {
        addresses: { api: state.apiUrl, ingest: state.ingestUrl },
        stop: () => stack.stop(),
        shutdownDeadlineMs: 90_000,
      };
    },
  });
  process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'));
}
