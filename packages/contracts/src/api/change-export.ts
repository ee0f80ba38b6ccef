import type { z } from 'zod';
import { type AccountChange, changeInFull } from './change.js';
import { oneOf } from './fields.js';

/** See docs/api/requests.md. */

export const exportFormatSchema = oneOf(['csv', 'ndjson']).meta({
  description: '`csv` (the default): RFC 4180 with a header line. `ndjson`: one JSON object per line.',
});

export type ExportFormat = z.infer<typeof exportFormatSchema>;

type ExportLine = ReturnType<typeof changeInFull>;

interface FormatFacts {
  readonly type: string;
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

/** Excel needs a byte order mark to read UTF-8. In Python, use the encoding `utf-8-sig`. */
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

export function exportFileName(format: ExportFormat, now: Date): string {
  return `changes-${now.toISOString().slice(0, 10)}.${format}`;
}

export async function* exportChunks(
  format: ExportFormat,
  pages: AsyncIterable<readonly AccountChange[]>,
): AsyncGenerator<Uint8Array, void> {
  const { head, line } = EXPORT_FORMATS[format];
  yield Buffer.from(head);
  for await (const page of pages) yield Buffer.from(page.map((change) => line(changeInFull(change))).join(''));
}

/**
 * Matches spreadsheet formulas (OWASP, CSV Injection). Depending on their settings, spreadsheet programs end a cell at
 * a semicolon or tab even within quotes.
 */
const FORMULA = /(^|[;\t\r\n])(\s*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

const LEADING_SPACE = /^(?=[\t\r\n])/;

/** Formats null as an empty field, and anything except text as JSON (RFC 4180). */
function csvField(value: ExportLine[keyof ExportLine]): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const harmless = text.replaceAll(FORMULA, "$1$2'").replace(LEADING_SPACE, "'");
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
