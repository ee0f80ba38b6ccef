import { readFileSync } from 'node:fs';
import { inCheckout } from '../checkout.js';

/** How the image of a service starts Node: its options, and the main file. */
export interface ImageCommand {
  readonly options: readonly string[];
  readonly main: string;
}

/** What is measured is started as it is in its image. @param stage its name in the Dockerfile. */
export function imageCommand(stage: string): ImageCommand {
  const dockerfile = readFileSync(inCheckout('Dockerfile'), 'utf8');
  const command = new RegExp(` AS ${stage}$[^]*?^CMD (\\[.*\\])$`, 'm').exec(dockerfile)?.[1];
  if (command === undefined) throw new Error(`The Dockerfile has no stage ${stage} with a command.`);
  const words = JSON.parse(command) as string[];
  return { options: words.filter((word) => word.startsWith('-')), main: words.at(-1) ?? '' };
}
