import type { Cast } from '../stage/scene.js';
import { flaky, reluctant, slow, steady } from '../stage/temper.js';

/** A bit of everything: quick, slow, failing, and one that is told only of the gravest. */
export const mixed: readonly Cast[] = [
  { name: 'steady', temper: steady },
  { name: 'slow', temper: slow },
  { name: 'flaky', temper: flaky },
  { name: 'grave', temper: steady, minSeverity: 'critical' },
];

/** Every delivery is retried once. */
export const reluctants: readonly Cast[] = [
  { name: 'reluctant-1', temper: reluctant },
  { name: 'reluctant-2', temper: reluctant },
  { name: 'reluctant-3', temper: reluctant },
];
