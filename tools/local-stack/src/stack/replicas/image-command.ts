import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../../../../../', import.meta.url));

export interface ImageCommand {
  /** The compiled main file, an absolute path of this checkout. */
  readonly main: string;
  /** Of Node. */
  readonly options: readonly string[];
  /** What the environment of the images says of memory. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * How a program is started in its image, so that what runs on one machine, and what is measured there, takes the memory and
 * the processor time that it takes in production (docs/adr/0017).
 *
 * @param image its stage in the Dockerfile.
 */
export function imageCommand(image: string): ImageCommand {
  const dockerfile = readFileSync(path.join(checkout, 'Dockerfile'), 'utf8');
  const command = new RegExp(` AS ${image}$[^]*?^CMD (\\[.*\\])$`, 'm').exec(dockerfile)?.[1];
  const arenas = /\bMALLOC_ARENA_MAX=(\d+)/.exec(dockerfile)?.[1];
  if (command === undefined || arenas === undefined) throw new Error(`The Dockerfile has no command of ${image}.`);
  const words = JSON.parse(command) as string[];
  return {
    main: path.join(checkout, words.at(-1) ?? ''),
    options: words.filter((word) => word.startsWith('-')),
    env: { MALLOC_ARENA_MAX: arenas },
  };
}
