import { homedir } from 'node:os';
import path from 'node:path';
import { findOnPath } from '@artist-watch/local-stack/processes/on-path';

/** The directory in which `pnpm test:k8s` keeps its programs: a control plane, kubectl and helm. */
export const BUILT_PROGRAMS = path.join(homedir(), '.cache', 'artist-watch', 'kube', 'bin');

/** Finds an optional program. Checks that need it are skipped on machines without it. */
export function findProgram(name: string): string | undefined {
  return findOnPath([name], [BUILT_PROGRAMS]);
}
