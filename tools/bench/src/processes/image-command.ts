import { readFileSync } from 'node:fs';
import { inCheckout } from '../checkout.js';

/** How the image of a service starts Node: its options, the main file, and what the environment says of memory. */
export interface ImageCommand {
  readonly options: readonly string[];
  readonly main: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** What is measured is started as it is in its image. @param stage its name in the Dockerfile. */
export function imageCommand(stage: string): ImageCommand {
  const dockerfile = readFileSync(inCheckout('Dockerfile'), 'utf8');
  const command = new RegExp(` AS ${stage}$[^]*?^CMD (\\[.*\\])$`, 'm').exec(dockerfile)?.[1];
  if (command === undefined) throw new Error(`The Dockerfile has no stage ${stage} with a command.`);
  const arenas = /\bMALLOC_ARENA_MAX=(\d+)/.exec(dockerfile)?.[1];
  const words = JSON.parse(command) as string[];
  return {
    options: words.filter((word) => word.startsWith('-')),
    main: words.at(-1) ?? '',
    env: { MALLOC_ARENA_MAX: arenas },
  };
}
