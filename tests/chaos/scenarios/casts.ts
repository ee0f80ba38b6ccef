import type { Cast } from '../stage/scene.js';
import { flaky, reluctant, slow, steady } from '../stage/temper.js';

/** A bit of everything: quick, slow, failing, and one that gets only the critical ones. */
export const mixed: readonly Cast[] = [
  { name: 'steady', temper: steady },
  { name: 'slow', temper: slow },
  { name: 'flaky', temper: flaky },
  { name: 'critical', temper: steady, minSeverity: 'critical' },
];

/** A webhook, a Slack channel and a Discord channel; with members a mail besides. */
export const channels: readonly Cast[] = [
  { name: 'steady', temper: steady },
  { name: 'slack', kind: 'slack', temper: slow },
  { name: 'discord', kind: 'discord', temper: slow },
];

/** Every delivery is retried once. Many, since first attempts to one that fails go one at a time. */
export const reluctants: readonly Cast[] = Array.from({ length: 100 }, (_, index) => ({
  name: `reluctant-${index}`,
  temper: reluctant,
}));
