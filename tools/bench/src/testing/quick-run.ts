import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { placeOfServers } from '@artist-watch/harness/place-of-servers';
import { inCheckout } from '../checkout.js';

/**
 * Runs a benchmark in its quick form, as its command does.
 *
 * @returns all that it printed.
 * @throws with that, when it fails.
 */
export async function runQuickly(bench: string): Promise<string> {
  const child = spawn(process.execPath, [inCheckout('tools/bench/dist/main.js'), bench, '--quick'], {
    env: { ...process.env, TMPDIR: await placeOfServers() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(text);
  return text;
}
