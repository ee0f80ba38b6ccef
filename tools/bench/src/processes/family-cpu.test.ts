import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { familyCpuMs } from './family-cpu.js';

const BURNT_MS = 200;
const BURN = `while (process.cpuUsage().user < ${BURNT_MS * 1000});`;

test('the CPU time of a child process still counts after it has exited', () => {
  // On systems without /proc, the result is always zero.
  if (!existsSync('/proc/self/stat')) return;
  const before = familyCpuMs(process.pid);
  spawnSync(process.execPath, ['-e', BURN]);
  expect(familyCpuMs(process.pid) - before).toBeGreaterThanOrEqual(BURNT_MS);
});
