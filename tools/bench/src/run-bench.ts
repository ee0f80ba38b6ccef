import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Bench, BenchOptions } from './bench.js';
import { inCheckout } from './checkout.js';
import { describeMachine } from './measuring/machine.js';
import { isWithinLimit, limitText, valueText } from './reporting/figure.js';
import { type Results, resultsPage } from './reporting/results-page.js';

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
