import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Report } from './redis-program.js';

const run = promisify(execFile);
const installTimeoutMs = 300_000;

interface PackageManager {
  readonly program: string;
  /** Distributions switched from Redis to Valkey at different times, so the install commands are tried in order. */
  readonly installs: readonly (readonly string[])[];
}

const packageManagers: readonly PackageManager[] = [
  { program: 'apt-get', installs: [['install', '-y', '--no-install-recommends', 'redis-server']] },
  {
    program: 'dnf',
    installs: [
      ['install', '-y', 'redis'],
      ['install', '-y', 'valkey'],
    ],
  },
  {
    program: 'apk',
    installs: [
      ['add', 'redis'],
      ['add', 'valkey'],
    ],
  },
];

/** Returns false if this process isn't running as root, or if no package manager succeeds. */
export async function installWithSystemPackages(report: Report): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  for (const { program, installs } of packageManagers) {
    for (const args of installs) {
      const installed = await run(program, args, {
        timeout: installTimeoutMs,
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      }).then(
        () => true,
        () => false,
      );
      if (installed) {
        report(`Installed Redis with ${program}.`);
        return true;
      }
    }
  }
  return false;
}
