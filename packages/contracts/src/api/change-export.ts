import type { z } from 'zod';
import { type AccountChange, changeInFull } from './change.js';
import { oneOf } from './enums.js';

/** Exports of changes as files (docs/reference/api.md). */

export const exportFormatSchema = oneOf(['csv', 'ndjson']).meta({
  description: '`csv`: RFC 4180 with a header line (the default). `ndjson`: one JSON object per line.',
});

export type ExportFormat = z.infer<typeof exportFormatSchema>;

/** One line of an export, with the complete values of the change. */
type ExportLine = ReturnType<typeof changeInFull>;

interface FormatFacts {
  readonly type: string;
  /** The header line. */
  readonly head: string;
  line(change: ExportLine): string;
}

const COLUMNS = [
  'id',
  'confirmed_at',
  'detected_at',
  'severity',
  'type',
  'artist_id',
  'artist_name',
  'entity_type',
  'entity_id',
  'entity_name',
  'release_id',
  'release_name',
  'summary',
  'before',
  'after',
  'platform_url',
  'recorded_at',
  'status',
  'note',
  'assignee',
] as const satisfies readonly (keyof ExportLine)[];

/**
 * With this mark, Excel reads the file as UTF-8 instead of in the machine's code page. In Python, use the encoding
 * `utf-8-sig` for such a file.
 */
const BYTE_ORDER_MARK = '\uFEFF';

export const EXPORT_FORMATS: Readonly<Record<ExportFormat, FormatFacts>> = {
  csv: {
    type: 'text/csv; charset=utf-8; header=present',
    head: `${BYTE_ORDER_MARK}${COLUMNS.join(',')}\r\n`,
    line: (change) => `${COLUMNS.map((name) => csvField(change[name])).join(',')}\r\n`,
  },
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: (change) => `${JSON.stringify(change)}\n`,
  },
};

/** `changes-2026-05-01.csv` */
export function exportFileName(format: ExportFormat, now: Date): string {
  return `changes-${now.toISOString().slice(0, 10)}.${format}`;
}

/** Yields the export file in chunks, one per page of changes. An empty page gives an empty chunk. */
export async function* exportChunks(
  format: ExportFormat,
  pages: AsyncIterable<readonly AccountChange[]>,
): AsyncGenerator<Uint8Array, void> {
  const { head, line } = EXPORT_FORMATS[format];
  yield Buffer.from(head);
  for await (const page of pages) yield Buffer.from(page.map((change) => line(changeInFull(change))).join(''));
}

/**
 * Matches the start of a spreadsheet formula (OWASP, CSV Injection), including full-width characters. Also matches it
 * after a semicolon, a tab or a line end, because some settings end a cell there. Quotes are no protection, because
 * they only count at the start of a cell.
 */
const FORMULA = /(^|[;\t\r\n])(\s*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** Matches a cell that starts with a tab or a line end. */
const LEADING_SPACE = /^(?=[\t\r\n])/;

/** Formats a value as a CSV field (RFC 4180): text as it is, null as an empty field, everything else as JSON. */
function csvField(value: ExportLine[keyof ExportLine]): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const harmless = text.replaceAll(FORMULA, "$1$2'").replace(LEADING_SPACE, "'");
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
