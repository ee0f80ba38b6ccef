import { homedir } from 'node:os';
import path from 'node:path';
import { findOnPath } from '@artist-watch/local-stack/processes/on-path';

/** Where `pnpm test:k8s` keeps what it has built: a control plane, kubectl, helm. */
export const BUILT_PROGRAMS = path.join(homedir(), '.cache', 'artist-watch', 'kube', 'bin');

/** Where a program is that some machines have: a check that is finer with it, and does without it elsewhere. */
export function findProgram(name: string): string | undefined {
  return findOnPath([name], [BUILT_PROGRAMS]);
}
