import type { ControlTarget } from '../control/control-app.js';
import type { QuirkName } from '../quirks/quirks.js';
import { type Action, perform } from './actions.js';
import { Cast } from './cast.js';
import type { Scenario } from './scenario-file.js';

export interface StagedStep {
  readonly afterMs: number;
  /** Throws if the catalogue doesn't allow the action. */
  run(): void;
}

export interface StagedScenario {
  readonly cast: Cast;
  readonly watched: readonly string[];
  /** Sorted by time. */
  readonly steps: readonly StagedStep[];
}

/** Performs only the actions that have no scheduled time. */
export function stageScenario(scenario: Scenario, target: ControlTarget): StagedScenario {
  const cast = new Cast(target.world, scenario.cast);
  for (const action of scenario.events) if (action.at === undefined) perform(action, cast, target);
  cast.saveState();
  const timed: { readonly atMs: number; readonly action: Action }[] = [];
  for (const action of scenario.events) {
    if (action.at !== undefined) timed.push({ atMs: action.at, action });
    const end = findEnd(action);
    if (end !== undefined) timed.push(end);
  }
  const steps = timed
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, action }) => ({ afterMs: atMs, run: () => perform(action, cast, target) }));
  const artists = cast.entries().filter(({ kind }) => kind === 'artist');
  return { cast, watched: scenario.watch ?? artists.map(({ name }) => name), steps };
}

function findEnd(action: Action): { readonly atMs: number; readonly action: Action } | undefined {
  if ((action.do !== 'quirk' && action.do !== 'outage') || action.for === undefined) return undefined;
  const quirks = action.do === 'outage' ? (['serverError'] as const) : (Object.keys(action.set) as QuirkName[]);
  return { atMs: (action.at ?? 0) + action.for, action: { do: 'quirk_off', quirks: [...quirks] } };
}
