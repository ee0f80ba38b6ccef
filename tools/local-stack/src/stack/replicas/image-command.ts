import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../../../../../', import.meta.url));

export interface ImageCommand {
  readonly main: string;
  /** Options of Node. */
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Local runs use the image's command, so that their memory and CPU usage match production (docs/adr/0017).
 * @param image name of the stage in the Dockerfile.
 */
export function imageCommand(image: string): ImageCommand {
  const dockerfile = readFileSync(path.join(checkout, 'Dockerfile'), 'utf8');
  const command = new RegExp(` AS ${image}$[^]*?^CMD (\\[.*\\])$`, 'm').exec(dockerfile)?.[1];
  const arenas = /\bMALLOC_ARENA_MAX=(\d+)/.exec(dockerfile)?.[1];
  if (command === undefined || arenas === undefined)
    throw new Error(`The Dockerfile has no CMD for the stage ${image}.`);
  const words = JSON.parse(command) as string[];
  return {
    main: path.join(checkout, words.at(-1) ?? ''),
    options: words.filter((word) => word.startsWith('-')),
    env: { MALLOC_ARENA_MAX: arenas },
  };
}
