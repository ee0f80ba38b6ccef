import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { inCheckout } from '../checkout.js';
import { canPin } from './pinning.js';

const pinning = pathToFileURL(inCheckout('tools/bench/dist/processes/pinning.js')).href;

/** Prints the cores that the program and its pinned child may run on. */
const PROGRAM = `
  const { spawn } = await import('node:child_process');
  const { readFileSync } = await import('node:fs');
  const { leaveMeasuredCore, pinMeasured } = await import(${JSON.stringify(pinning)});
  const coresOf = (pid) => /^Cpus_allowed_list:\\s*(.*)$/m.exec(readFileSync('/proc/' + pid + '/status', 'utf8'))[1];
  leaveMeasuredCore();
  const measured = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  pinMeasured(measured.pid);
  console.log(JSON.stringify({ measured: coresOf(measured.pid), rest: coresOf(process.pid) }));
  measured.stdin.end();
`;

const whereThereAreCores = canPin() ? test : test.skip;

whereThereAreCores('the measured process runs on core 0, and the others run on the remaining cores', () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { encoding: 'utf8' });

  const { measured, rest } = JSON.parse(printed) as { measured: string; rest: string };
  expect(measured).toBe('0');
  expect(rest).toMatch(/^1(-\d+)?$/);
});
