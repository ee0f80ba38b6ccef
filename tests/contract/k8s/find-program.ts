import { homedir } from 'node:os';
import path from 'node:path';
import { findOnPath } from '@artist-watch/local-stack/processes/on-path';

/** `pnpm test:k8s` keeps a control plane, kubectl and helm here. */
export const BUILT_PROGRAMS = path.join(homedir(), '.cache', 'artist-watch', 'kube', 'bin');

/** Checks that need the program are skipped on machines without it. */
export function findProgram(name: string): string | undefined {
  return findOnPath([name], [BUILT_PROGRAMS]);
}
