import { gzipSync } from 'node:zlib';
import { getRequest, HttpConnection } from '../load/http-connection.js';
import { interleave, type Rounds } from '../measuring/rounds.js';
import { median } from '../measuring/statistics.js';
import type { Figure } from '../reporting/figure.js';
import type { ShownPage } from './shown-pages.js';

/**
 * `bare` returns the same bytes as `fiveHundred`. V8 optimizes code that runs often, so `manyChangesTen` makes
 * sure that both dashboards get the same number of requests.
 */
export const KINDS = ['ten', 'fiveHundred', 'bare', 'manyChangesTen', 'manyChanges'] as const;
type Kind = (typeof KINDS)[number];

export interface MeasuredPage {
  readonly page: ShownPage;
  readonly of: Readonly<Record<Kind, { readonly port: number; readonly request: Uint8Array }>>;
}

export async function measurePages(
  pages: readonly MeasuredPage[],
  { requests, rounds }: { readonly requests: number; readonly rounds: number },
  say: (line: string) => void,
): Promise<Rounds> {
  const variants = pages.flatMap(({ page, of }) =>
    KINDS.map((kind) => ({
      name: `${page.path}, ${kind}`,
      async measure() {
        const { port, request } = of[kind];
        const connection = await HttpConnection.open(port);
        const [first, whole]: [number[], number[]] = [[], []];
        for (let count = 0; count < requests; count += 1) {
          const startedAtMs = performance.now();
          await ask(connection, request);
          whole.push(performance.now() - startedAtMs);
          first.push(connection.firstByteAtMs - startedAtMs);
        }
        connection.close();
        return { firstMs: median(first), wholeMs: median(whole) };
      },
    })),
  );
  // Lets V8 compile the code, opens connections, and prepares statements.
  for (const variant of variants) await variant.measure();
  const measured = await interleave(variants, rounds);
  for (const { name } of variants) {
    const text = (figure: string) =>
      measured
        .of(figure, name)
        .map((value) => value.toFixed(2))
        .join(', ');
    say(`${name}: ${text('firstMs')} ms to the first byte, ${text('wholeMs')} to the last`);
  }
  return measured;
}

/** @param statements maximum number of SQL statements per request. */
export function figuresOfPage({ path: name, html }: ShownPage, statements: number, rounds: Rounds): Figure[] {
  const variant = (kind: Kind) => `${name}, ${kind}`;
  const spread = (figure: string) => rounds.spread(figure, variant('fiveHundred'));
  const ratio = (figure: string, kind: Kind, to: Kind) => rounds.ratio(figure, variant(kind), variant(to));
  const size = gzipSync(html).length / 1_000;
  return [
    { name, column: 'statements', value: statements, digits: 0, atMost: 6 },
    { name, column: 'HTML, gzipped', value: size, unit: 'kB', digits: 1, atMost: 40 },
    { name, column: 'first byte', value: spread('firstMs'), unit: 'ms' },
    { name, column: 'first byte relative to bare Express', value: ratio('firstMs', 'fiveHundred', 'bare'), atMost: 3 },
    { name, column: 'whole page', value: spread('wholeMs'), unit: 'ms' },
    { name, column: '500 artists relative to 10', value: ratio('wholeMs', 'fiveHundred', 'ten'), atMost: 1.5 },
    {
      name,
      column: '5,000,000 changes relative to 10,000',
      value: ratio('wholeMs', 'manyChanges', 'fiveHundred'),
      atMost: 1.2,
    },
  ];
}

/** The dashboard rejects requests if the port in their Host header doesn't match. */
export function pageRequest({ address, cookie }: { readonly address: string; readonly cookie: string }, port: number) {
  return { port, request: getRequest(address, { Host: `127.0.0.1:${port}`, Cookie: cookie }) };
}

export async function ask(connection: HttpConnection, request: Uint8Array): Promise<void> {
  const status = await connection.request(request);
  if (status !== 200) throw new Error(`A page responded with ${status}.`);
}
