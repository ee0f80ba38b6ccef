import type { Machine } from '../measuring/machine.js';
import { type Figure, isWithinLimit, limitText, valueText } from './figure.js';

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

export function resultsPage(results: Results): string {
  const { name, title, method, startedAt, durationMs, command, machine, figures } = results;
  return `# ${title}

Written by \`${command}\` ([raw output](raw/${name}.txt)); do not edit. \`a (b–c)\` is the median, minimum and maximum of all rounds.

${method.trim()}

${[tableOf(figures), wideTableOf(figures)].filter((table) => table !== '').join('\n\n')}

| | |
|---|---|
| date | ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${Math.round(durationMs / 1000)} s |
| commit | ${machine.commit} |
| machine | ${machine.cpu}, ${machine.cores} cores${machine.pinned ? '' : ', not pinned'}, ${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}, load before ${machine.loadBefore} |
`;
}

function wideTableOf(figures: readonly Figure[]): string {
  const inColumns = figures.filter(({ column }) => column !== undefined);
  const columns = [...new Set(inColumns.map(({ column }) => column))];
  if (columns.length === 0) return '';
  const rows = [...new Set(inColumns.map(({ name }) => name))].map((name) => {
    const cells = inColumns.filter((figure) => figure.name === name);
    const texts = columns.map((column) => cells.filter((cell) => cell.column === column).map(cellOf));
    return `| ${[name, ...texts].join(' | ')} |`;
  });
  return [`| | ${columns.join(' | ')} |`, `|${'---|'.repeat(columns.length + 1)}`, ...rows].join('\n');
}

function cellOf(figure: Figure): string {
  return isWithinLimit(figure) === false ? `${valueText(figure)}, **missed**` : valueText(figure);
}

function tableOf(all: readonly Figure[]): string {
  const figures = all.filter(({ column }) => column === undefined);
  if (figures.length === 0) return '';
  const rows = figures.map((figure) => {
    const cells = [figure.name, valueText(figure), limitText(figure), limitState(isWithinLimit(figure))];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| figure | measured | limit | |', '|---|---|---|---|', ...rows].join('\n');
}

function limitState(isMet: boolean | undefined): string {
  if (isMet === undefined) return '';
  return isMet ? 'met' : '**missed**';
}
