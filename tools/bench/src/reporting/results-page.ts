import type { Machine } from '../measuring/machine.js';
import { type Figure, holds, limitText, valueText } from './figure.js';

export interface Results {
  readonly name: string;
  readonly title: string;
  readonly method: string;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly command: string;
  readonly machine: Machine;
  readonly figures: readonly Figure[];
}

/** `docs/benchmarks/NAME.md`. */
export function resultsPage(results: Results): string {
  const { name, title, method, startedAt, durationMs, command, machine, figures } = results;
  return `# ${title}

Written by \`${command}\`; not edited by hand. Numbers in brackets are the least and the greatest of all rounds, and the
figures of every round are in [raw/${name}.txt](raw/${name}.txt).

${method.trim()}

${tableOf(figures)}

| | |
|---|---|
| date | ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${Math.round(durationMs / 1000)} s |
| commit | ${machine.commit} |
| CPU | ${machine.cpu}, ${machine.cores} cores${machine.pinned ? '' : ', not pinned'} |
| memory | ${machine.memoryGiB} GiB |
| system | ${machine.system} |
| Node | ${machine.node} |
| load before | ${machine.loadBefore} |
`;
}

function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const cells = [figure.name, valueText(figure), limitText(figure), holdsText(holds(figure))];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| figure | measured | limit | |', '|---|---|---|---|', ...rows].join('\n');
}

function holdsText(held: boolean | undefined): string {
  if (held === undefined) return '';
  return held ? 'holds' : '**missed**';
}
