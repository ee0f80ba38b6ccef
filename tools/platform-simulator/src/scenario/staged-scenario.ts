import type { ControlTarget } from '../control/commands.js';
import type { QuirkName } from '../quirks/quirks.js';
import { type Action, perform } from './actions.js';
import { Cast } from './cast.js';
import type { Scenario } from './scenario-file.js';

export interface StagedStep {
  /** From the moment in which the scenario begins. */
  readonly afterMs: number;
  /** Throws what the catalogue has against it. */
  run(): void;
}

/** A scenario on one simulated platform: who its names stand for, and what is still to happen. */
export interface StagedScenario {
  readonly cast: Cast;
  /** The names of the artists that are watched. */
  readonly watched: readonly string[];
  /** In the order of time. */
  readonly steps: readonly StagedStep[];
}

/** Casts a scenario, and lets happen what is so from the start. */
export function stageScenario(scenario: Scenario, target: ControlTarget): StagedScenario {
  const cast = new Cast(target.world, scenario.cast);
  for (const action of scenario.events) if (action.at === undefined) perform(action, cast, target);
  cast.begin();
  const timed: { readonly atMs: number; readonly action: Action }[] = [];
  for (const action of scenario.events) {
    if (action.at !== undefined) timed.push({ atMs: action.at, action });
    const end = endOf(action);
    if (end !== undefined) timed.push(end);
  }
  const steps = timed
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, action }) => ({ afterMs: atMs, run: () => perform(action, cast, target) }));
  const artists = cast.entries().filter(({ kind }) => kind === 'artist');
  return { cast, watched: scenario.watch ?? artists.map(({ name }) => name), steps };
}

/** What lasts for a while is two steps. */
function endOf(action: Action): { readonly atMs: number; readonly action: Action } | undefined {
  if ((action.do !== 'quirk' && action.do !== 'outage') || action.for === undefined) return undefined;
  const quirks = action.do === 'outage' ? (['serverError'] as const) : (Object.keys(action.set) as QuirkName[]);
  return { atMs: (action.at ?? 0) + action.for, action: { do: 'quirk_off', quirks: [...quirks] } };
}
