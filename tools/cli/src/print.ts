import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { columnWidths, renderFields, renderRow, type Shown } from './text.js';

export interface Output {
  readonly stdout: Writable;
  readonly stderr: Writable;
}

export type Answer =
  | { readonly kind: 'one'; readonly value: Shown }
  | { readonly kind: 'list'; readonly pages: AsyncIterable<readonly Shown[]> }
  | { readonly kind: 'file'; readonly chunks: AsyncIterable<Uint8Array> };

export function one(value: Shown): Answer {
  return { kind: 'one', value };
}

export function list(pages: AsyncIterable<readonly Shown[]> | readonly Shown[]): Answer {
  return { kind: 'list', pages: Array.isArray(pages) ? singlePage(pages) : (pages as AsyncIterable<readonly Shown[]>) };
}

async function* singlePage(rows: readonly Shown[]) {
  yield rows;
}

export async function print(answer: Answer, json: boolean, stdout: Writable): Promise<void> {
  const write = async (text: string | Uint8Array) => {
    if (!stdout.write(text)) await once(stdout, 'drain');
  };
  if (answer.kind === 'file') {
    for await (const chunk of answer.chunks) await write(chunk);
  } else if (answer.kind === 'one') {
    await write(`${json ? JSON.stringify(answer.value) : renderFields(answer.value)}\n`);
  } else if (json) {
    await printJsonList(answer.pages, write);
  } else {
    await printTable(answer.pages, write);
  }
}

type Write = (text: string) => Promise<void>;

async function printJsonList(pages: AsyncIterable<readonly Shown[]>, write: Write): Promise<void> {
  await write('{"data":[');
  let separator = '';
  for await (const rows of pages) {
    for (const row of rows) {
      await write(separator + JSON.stringify(row));
      separator = ',';
    }
  }
  await write('],"next_cursor":null}\n');
}

async function printTable(pages: AsyncIterable<readonly Shown[]>, write: Write): Promise<void> {
  let widths: ReadonlyMap<string, number> | undefined;
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    if (!widths) {
      widths = columnWidths(rows);
      await write(`${renderRow(Object.fromEntries([...widths.keys()].map((name) => [name, name])), widths)}\n`);
    }
    for (const row of rows) await write(`${renderRow(row, widths)}\n`);
  }
  if (!widths) await write('Nothing found.\n');
}
