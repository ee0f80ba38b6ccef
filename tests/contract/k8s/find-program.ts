import { homedir } from 'node:os';
import path from 'node:path';
import { findOnPath } from '@artist-watch/local-stack/processes/on-path';

/** `pnpm test:k8s` keeps a control plane, kubectl and helm here. */
export const BUILT_PROGRAMS = path.join(homedir(), '.cache', 'artist-watch', 'kube', 'bin');

/** Without an optional program, checks that need it are skipped. */
export function findProgram(name: string): string | undefined {
  return findOnPath([name], [BUILT_PROGRAMS]);
}
