import { systemClock } from '@artist-watch/runtime/clock';
import { readConfig } from './config.js';
import { runCli } from './run.js';

// A reader such as `| head` may close the pipe early, which isn't an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runCli(process.argv.slice(2), readConfig(), systemClock, process);
