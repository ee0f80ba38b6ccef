import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readScenario, type Scenario } from './scenario-file.js';

const directory = new URL('../../scenarios/', import.meta.url);
const EXTENSION = '.yaml';

/** The names of the scenarios that come with the simulator. */
export function libraryNames(): string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length))
    .sort();
}

export function libraryFile(name: string): string {
  return fileURLToPath(new URL(`${name}${EXTENSION}`, directory));
}

export function libraryScenario(name: string): Scenario {
  return readScenario(readFileSync(libraryFile(name), 'utf8'));
}
