import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { canPin } from '../processes/pinning.js';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly pinned: boolean;
  /** A load above 0.5 before the run means that something else was using the machine. */
  readonly loadBefore: number;
  readonly commit: string;
}

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release().split('.', 2).join('.')} ${process.arch}`,
    node: process.versions.node,
    pinned: canPin(),
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    commit: commit(),
  };
}

/** A trailing `+` means that there are uncommitted changes. */
function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    return git('describe', '--always', '--abbrev=12', '--exclude=*', '--dirty=+').trim();
  } catch {
    return 'unknown';
  }
}
