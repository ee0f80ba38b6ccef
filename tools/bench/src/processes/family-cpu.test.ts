import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { familyCpuMs } from './family-cpu.js';

const BURNT_MS = 200;
const BURN = `while (process.cpuUsage().user < ${BURNT_MS * 1000});`;

test('a child that has ended takes nothing of what the family has used with it', () => {
  // Elsewhere it is zero.
  if (!existsSync('/proc/self/stat')) return;
  const before = familyCpuMs(process.pid);
  spawnSync(process.execPath, ['-e', BURN]);
  expect(familyCpuMs(process.pid) - before).toBeGreaterThanOrEqual(BURNT_MS);
});
