import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { StartError } from '@artist-watch/runtime/settings/start-failure';
import type { Environment } from './environment.js';

/** A scenario that the simulated platform is to play once everything runs. */
export interface ChosenScenario {
  /** As it stands in the file; the simulator says what is wrong with it. */
  readonly source: string;
  /** How many times as fast as it says. */
  readonly speed: number;
}

const library = new URL('../../../platform-simulator/scenarios/', import.meta.url);

/** @param choice the name of a scenario that comes with the simulator, or the path of a file. */
export async function openScenario(choice: string, speed: number): Promise<ChosenScenario> {
  const file = /^[a-z0-9-]+$/.test(choice) ? fileURLToPath(new URL(`${choice}.yaml`, library)) : choice;
  try {
    return { source: await readFile(file, 'utf8'), speed };
  } catch (error) {
    throw new StartError(`The scenario "${choice}" cannot be read: ${(error as Error).message}.`);
  }
}

/** As they are by default. */
const USUAL_MS = { CONFIRM_SPAN: 1_800_000, CONFIRM_INTERVAL: 600_000 } as const;

/** Watching keeps step with a scenario that is played faster, unless the environment says otherwise. */
export function inStepWith({ speed }: ChosenScenario, environment: Environment): Environment {
  const pace = {
    POLL_INTERVAL_FACTOR: (1 / speed).toFixed(6),
    CONFIRM_SPAN: `${Math.round(USUAL_MS.CONFIRM_SPAN / speed)}ms`,
    CONFIRM_INTERVAL: `${Math.round(USUAL_MS.CONFIRM_INTERVAL / speed)}ms`,
  };
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  return { ...pace, ...Object.fromEntries(given) };
}
