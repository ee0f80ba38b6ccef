import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Bench, BenchOptions } from './bench.js';
import { inCheckout } from './checkout.js';
import { describeMachine, type Machine } from './measuring/machine.js';
import { type Figure, isWithinLimit, limitText, valueText } from './reporting/figure.js';

interface RunOptions extends Omit<BenchOptions, 'say'> {
  readonly command: string;
}

/**
 * Writes `docs/benchmarks/NAME.md` and `docs/benchmarks/raw/NAME.txt`, unless the run is quick or partial.
 * @returns true if every figure is within its limit, or if the run is quick or partial.
 */
export async function runBench(name: string, bench: Bench, options: RunOptions): Promise<boolean> {
  const { command, ...benchOptions } = options;
  const { quick, only } = benchOptions;
  const machine = describeMachine();
  const startedAt = new Date();
  const raw: string[] = [];
  const say = (line: string) => {
    raw.push(line);
    process.stdout.write(`${line}\n`);
  };
  const figures = await bench.run({ ...benchOptions, say });
  const durationMs = Date.now() - startedAt.getTime();

  process.stdout.write('\n');
  for (const figure of figures) {
    const judged = !quick && isWithinLimit(figure) === false ? '  MISSED' : '';
    process.stdout.write(
      `${[figure.name, figure.column].filter(Boolean).join(', ')}: ${valueText(figure)}  ${limitText(figure)}${judged}\n`,
    );
  }
  if (quick || only !== undefined) return true;
  const { title, method } = bench;
  await write({ name, title, method, startedAt, durationMs, command, machine, figures }, raw);
  return figures.every((figure) => isWithinLimit(figure) !== false);
}

async function write(results: Results, raw: readonly string[]): Promise<void> {
  const page = inCheckout(`docs/benchmarks/${results.name}.md`);
  const rawFile = inCheckout(`docs/benchmarks/raw/${results.name}.txt`);
  await mkdir(path.dirname(rawFile), { recursive: true });
  await writeFile(rawFile, `${raw.join('\n')}\n`);
  await writeFile(page, resultsPage(results));
  process.stdout.write(`\nWritten to ${path.relative(process.cwd(), page)}\n`);
}

interface Results {
  readonly name: string;
  readonly title: string;
  readonly method: string;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly command: string;
  readonly machine: Machine;
  readonly figures: readonly Figure[];
}

function resultsPage(results: Results): string {
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
