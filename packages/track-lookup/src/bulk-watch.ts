import type { FoundArtist } from '@artist-watch/catalogue/port';
import { presentArtist } from '@artist-watch/contracts/api/artist';
import { type BulkLine, presentCandidate } from '@artist-watch/contracts/api/artist-search';
import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Platform } from '@artist-watch/domain/catalogue';
import { isSameName, type LineFault, parseArtistLine } from '@artist-watch/domain/platform/platform-address';
import type { ArtistToWatch, WatchManyResult } from '@artist-watch/persistence/account/watch-many';
import { monotonicMs } from '@artist-watch/runtime/clock';
import { GateFull } from '@artist-watch/runtime/gate';
import { parse } from 'csv-parse/sync';
import { parseShortLink } from './short-links.js';

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

const MAX_CANDIDATES = 5;

/** Far longer than any artist URL. */
const MAX_LINE_CHARS = 2_048;
/** Responses only repeat the start of each line, because responses may be stored. */
const ECHOED_CHARS = 200;

const FAULTS: Readonly<Record<LineFault, NonNullable<BulkLine['error']>>> = {
  empty: { code: 'invalid_input', message: 'The line is empty.' },
  too_long: { code: 'invalid_input', message: 'The name is too long. Use at most 100 characters.' },
  unreadable: { code: 'invalid_input', message: 'The line contains characters that are not allowed in a name.' },
  not_an_address: { code: 'unsupported_url', message: 'This is not a valid artist URL.' },
  other_platform: { code: 'unsupported_url', message: 'This URL belongs to another streaming platform.' },
  other_kind: { code: 'unsupported_url', message: 'This URL does not belong to an artist.' },
};

export interface BulkWatchParts {
  readonly platform: Platform;
  /** @throws ApiError, GateFull */
  readonly find: (name: string) => Promise<readonly FoundArtist[]>;
  /** Default: ids are watched without a lookup. @throws ApiError, GateFull */
  readonly findId?: (platformId: string) => Promise<{ readonly name?: string } | undefined>;
  /** Returns the artist's platform id. @throws ApiError, GateFull */
  readonly artistAt: (link: URL) => Promise<string>;
  /** Lines that could not be looked up within this time are left to the client, which can resend them. Default: 10 s. */
  readonly namesDeadlineMs?: number;
  readonly watch: (
    artists: readonly ArtistToWatch[],
    present: (watched: WatchManyResult) => BulkLine[],
  ) => Promise<WatchManyResult>;
}

type ResolvedLine =
  | { readonly kind: 'artist'; readonly platformId: string; readonly name?: string }
  | { readonly kind: 'settled'; readonly result: Pick<BulkLine, 'result' | 'error' | 'candidates'> };

/** Each line is an id, a URL, a short link or a name. Returns one result per line, in the same order. */
export async function bulkWatch(parts: BulkWatchParts, lines: readonly Line[]): Promise<BulkLine[]> {
  const resolved = await resolveLines(parts, lines);
  const wanted = new Map<string, ArtistToWatch & { readonly index: number }>();
  for (const [index, line] of resolved.entries()) {
    if (line.kind !== 'artist' || wanted.has(line.platformId)) continue;
    const { platformId, name } = line;
    wanted.set(platformId, { platformId, name, index });
  }
  const present = (watched: WatchManyResult) =>
    lines.map(({ number: line, text }, index) => {
      const input = [...text.slice(0, 2 * ECHOED_CHARS)].slice(0, ECHOED_CHARS).join('');
      const shown = { line, input, artist: null, error: null, candidates: [] };
      const known = resolved[index] as ResolvedLine;
      if (known.kind === 'settled') return { ...shown, ...known.result };
      return { ...shown, ...watchResult(watched, known.platformId, wanted.get(known.platformId)?.index === index) };
    });
  return present(wanted.size > 0 ? await parts.watch([...wanted.values()], present) : NONE);
}

const NONE: WatchManyResult = { outcomes: {}, artists: new Map(), refusal: undefined };

/** @param isFirst true if no earlier line refers to the same artist */
function watchResult(
  { outcomes, artists, refusal }: WatchManyResult,
  platformId: string,
  isFirst: boolean,
): Partial<BulkLine> & Pick<BulkLine, 'result'> {
  const outcome = outcomes[platformId];
  if (outcome === undefined) throw new Error(`There is no result for the artist ${platformId}.`);
  if (outcome === 'limit_reached') {
    return { result: outcome, error: refusal ? { code: refusal.code, message: refusal.message } : null };
  }
  const artist = artists.get(platformId);
  return { result: isFirst ? outcome : 'already_watched', artist: artist ? presentArtist(artist) : null };
}

async function resolveLines(parts: BulkWatchParts, lines: readonly Line[]): Promise<ResolvedLine[]> {
  const deadlineMs = monotonicMs() + (parts.namesDeadlineMs ?? 10_000);
  const known = new Map<string, ResolvedLine>();
  const lookUpOnce = async (key: string, lookUp: () => Promise<ResolvedLine>) => {
    const isLate = monotonicMs() >= deadlineMs;
    const line = known.get(key) ?? (isLate ? NOT_IN_TIME : await tryLookUp(lookUp));
    known.set(key, line);
    return line;
  };
  const resolved: ResolvedLine[] = [];
  for (const { text } of lines) {
    if (text.length > MAX_LINE_CHARS) {
      resolved.push(settled('invalid', LINE_TOO_LONG));
      continue;
    }
    const link = parseShortLink(text, parts.platform);
    const line = parseArtistLine(text, parts.platform);
    if (link) resolved.push(await lookUpOnce(link.href, () => resolveLink(parts.artistAt, link)));
    else if (line.kind === 'id') {
      const { platformId } = line;
      const found = parts.findId && platformId === text && (await lookUpOnce(text, () => resolveId(parts, text)));
      // If the lookup failed, the first check finds out whether the artist exists.
      resolved.push(found && !isNotLookedUp(found) ? found : { kind: 'artist', platformId });
    } else if (line.kind === 'invalid') resolved.push(settled('invalid', FAULTS[line.reason]));
    else resolved.push(await lookUpOnce(line.name, () => resolveName(parts.find, line.name)));
  }
  return resolved;
}

function isNotLookedUp(line: ResolvedLine): boolean {
  return line.kind === 'settled' && line.result.result === 'not_looked_up';
}

async function tryLookUp(lookUp: () => Promise<ResolvedLine>): Promise<ResolvedLine> {
  try {
    return await lookUp();
  } catch (error) {
    if (error instanceof GateFull) return NOT_IN_TIME;
    if (!(error instanceof ApiError)) throw error;
    const { code, message } = error;
    return settled(code === 'unsupported_url' ? 'invalid' : 'not_looked_up', { code, message });
  }
}

async function resolveLink(artistAt: BulkWatchParts['artistAt'], link: URL): Promise<ResolvedLine> {
  return { kind: 'artist', platformId: await artistAt(link) };
}

/** If no artist has the id, offers the artists with this name, such as 311. */
async function resolveId({ findId, find }: BulkWatchParts, id: string): Promise<ResolvedLine> {
  const artist = await findId?.(id);
  if (artist) return { kind: 'artist', platformId: id, ...(artist.name !== undefined && { name: artist.name }) };
  const named = (await find(id)).filter(({ name }) => isSameName(name, id));
  return named.length === 0 ? settled('unknown', null) : ambiguous(named);
}

async function resolveName(find: BulkWatchParts['find'], name: string): Promise<ResolvedLine> {
  const found = await find(name);
  const [only, ...others] = found.filter((artist) => isSameName(artist.name, name));
  if (only && others.length === 0) return { kind: 'artist', platformId: only.platformId, name: only.name };
  if (found.length === 0) return settled('unknown', null);
  return ambiguous(only ? [only, ...others] : found);
}

function ambiguous(found: readonly FoundArtist[]): ResolvedLine {
  const candidates = found.slice(0, MAX_CANDIDATES).map(presentCandidate);
  return { kind: 'settled', result: { result: 'ambiguous', error: null, candidates } };
}

function settled(result: BulkLine['result'], error: BulkLine['error']): ResolvedLine {
  return { kind: 'settled', result: { result, error, candidates: [] } };
}

const LINE_TOO_LONG = {
  code: 'invalid_input',
  message: `The line is too long. Use at most ${MAX_LINE_CHARS.toLocaleString('en-US')} characters.`,
} as const;

const NOT_IN_TIME = settled('not_looked_up', {
  code: 'upstream_timeout',
  message: 'This line could not be looked up in time. Send it again.',
});
