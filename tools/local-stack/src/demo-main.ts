import { runService } from '@artist-watch/runtime/lifecycle/lifecycle';
import { startDemo } from './demo/demo.js';
import { parseStackOptions } from './stack/options.js';

/** Entry point of `npm start`. */
runService({
  name: 'artist-watch',
  async start(signal) {
    const options = parseStackOptions(process.argv.slice(2));
    const write = (text: string) => process.stdout.write(text);
    const demo = await startDemo(options, process.env, write, signal);
    return { addresses: { api: demo.apiUrl }, stop: () => demo.stop(), shutdownDeadlineMs: 90_000 };
  },
});
process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'));
