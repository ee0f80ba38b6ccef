import { z } from 'zod';
import { type ConfirmedChange, changeInFull } from './change.js';

/** Exports of changes as files (docs/reference/api.md). */

export const exportFormatSchema = z
  .enum(['csv', 'ndjson'], { error: 'must be csv or ndjson' })
  .meta({ description: 'RFC 4180 with a line of names, or one JSON object a line.' });

export type ExportFormat = z.infer<typeof exportFormatSchema>;

/** One line of an export: a change with its values in full. */
type ExportLine = ReturnType<typeof changeInFull>;

interface FormatFacts {
  readonly type: string;
  /** In front of the first line. */
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
] as const satisfies readonly (keyof ExportLine)[];

/** Without it Excel takes UTF-8 for the code page of the machine. Readers that do not know it: `utf-8-sig` in Python. */
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

/** The file, a chunk for each page, empty where the page is. */
export async function* exportChunks(
  format: ExportFormat,
  pages: AsyncIterable<readonly ConfirmedChange[]>,
): AsyncGenerator<Uint8Array, void> {
  const { head, line } = EXPORT_FORMATS[format];
  yield Buffer.from(head);
  for await (const page of pages) yield Buffer.from(page.map((change) => line(changeInFull(change))).join(''));
}

/**
 * What spreadsheets take for the beginning of a formula (OWASP, CSV Injection), full-width forms among them. Also after
 * what another setting of the program takes for the end of a cell: the semicolon, the tab, the line end. A quote does not
 * help there, since it only counts at the beginning of a cell.
 */
const FORMULA = /(^|[;\t\r\n])(\s*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** A tab or a line end at the beginning of a cell is a beginning too. */
const LEADING_SPACE = /^(?=[\t\r\n])/;

/** RFC 4180: text as it is, everything else as JSON; null is an empty field. */
function csvField(value: ExportLine[keyof ExportLine]): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const harmless = text.replaceAll(FORMULA, "$1$2'").replace(LEADING_SPACE, "'");
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
