import { parse } from 'csv-parse/sync';

/** One line of a list, and where it stands. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** As a first line of a list, what its column is called. */
const HEADINGS = new Set(['artist', 'artists', 'name', 'url', 'link', 'id', 'platform_id']);

/**
 * The first column of a CSV file (RFC 4180; separated by commas, semicolons or tabs), without empty lines and without a
 * heading.
 *
 * @throws CsvError when quotes do not match.
 */
export function csvLines(text: string): Line[] {
  type Row = { readonly record: readonly string[]; readonly info: { readonly lines: number } };
  const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true, trim: true } as const;
  const rows = parse(text, { ...options, delimiter: [',', ';', '\t'] }) as unknown as Row[];
  return withoutHeading(rows.map(({ record: [first = ''], info }) => ({ number: info.lines, text: first })));
}

/** Lines of plain text, as people paste them: what a line says is one thing, commas and all. */
export function plainLines(text: string): Line[] {
  return withoutHeading(text.split(/\r\n|\r|\n/).map((line, index) => ({ number: index + 1, text: line.trim() })));
}

function withoutHeading(lines: readonly Line[]): Line[] {
  const said = lines.filter(({ text }) => text !== '');
  return HEADINGS.has(said[0]?.text.toLowerCase() ?? '') ? said.slice(1) : said;
}
