import { parse } from 'csv-parse/sync';

export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark (Excel's "Unicode Text").
 * @throws TypeError for other encodings, because a wrongly decoded name could match another artist
 */
export function decodeLines(bytes: Uint8Array): string {
  const mark = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}

const HEADING = /^(?:artists?|(?:(?:artist|deezer|spotify|platform)[ _-]?)*(?:name|id|ur[il]|link)s?)$/i;

/** Excel takes the delimiter from the first line if it is something like `sep=;`. */
const SEPARATOR_LINE = /^\ufeff?sep=(.)\r?\n/i;

/** The comma comes last, because artist names contain commas more often than tabs or semicolons. */
const DELIMITERS = ['\t', ';', ','];

/** This character never occurs in the text, so each line becomes a single column. */
const NO_DELIMITER = '\0';

/**
 * Returns the first column of a CSV file (RFC 4180), without the heading. Detects the delimiter from a `sep=` line,
 * from the heading, or by finding one that gives every row the same number of columns.
 * @throws CsvError if a quote is not closed
 */
export function csvLines(text: string): Line[] {
  const separator = SEPARATOR_LINE.exec(text)?.[1];
  const rows = separator === undefined ? rowsByGuess(text) : csvRows(text, separator, 2);
  return withoutHeading(rows.map(({ record: [first = ''], info }) => ({ number: info.lines, text: first })));
}

interface CsvRow {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** Twice the maximum length of a list. Without this limit, a 128 KiB body could create 65,536 row objects. */
const MAX_ROWS = 1_000;

/** @throws CsvError */
function csvRows(text: string, delimiter: string, fromLine = 1): readonly CsvRow[] {
  const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true, trim: true } as const;
  return parse(text, { ...options, to: MAX_ROWS, delimiter, from_line: fromLine }) as unknown as CsvRow[];
}

/** @throws CsvError */
function rowsByGuess(text: string): readonly CsvRow[] {
  const parsed = (delimiter: string) => {
    try {
      return [csvRows(text, delimiter)];
    } catch {
      // The quotes may be balanced with a different delimiter.
      return [];
    }
  };
  const guesses = DELIMITERS.flatMap(parsed);
  const hasHeading = ([first]: readonly CsvRow[]) =>
    first !== undefined && first.record.length > 1 && HEADING.test(first.record[0] ?? '');
  const isRegular = ([first, ...others]: readonly CsvRow[]) =>
    first !== undefined &&
    first.record.length > 1 &&
    others.every(({ record }) => record.length === first.record.length);
  return (
    guesses.find(hasHeading) ?? guesses.find(isRegular) ?? parsed(NO_DELIMITER)[0] ?? guesses[0] ?? csvRows(text, ',')
  );
}

/** Each line is a single artist, even if it contains commas. */
export function plainLines(text: string): Line[] {
  return withoutHeading(text.split(/\r\n|\r|\n/).map((line, index) => ({ number: index + 1, text: line.trim() })));
}

function withoutHeading(lines: readonly Line[]): Line[] {
  const filled = lines.filter(({ text }) => text !== '');
  return HEADING.test(filled[0]?.text ?? '') ? filled.slice(1) : filled;
}
