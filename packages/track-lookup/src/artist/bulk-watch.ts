import type { FoundArtist } from '@artist-watch/catalogue/port';
import { presentArtist } from '@artist-watch/contracts/api/artist';
import { type BulkLine, presentCandidate } from '@artist-watch/contracts/api/artist-search';
import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Platform } from '@artist-watch/domain/catalogue';
import { isSameName, type LineFault, parseArtistLine } from '@artist-watch/domain/platform/artist-line';
import type { ArtistToWatch, WatchManyResult } from '@artist-watch/persistence/account/watch-many';
import { GateFull } from '@artist-watch/runtime/gate';
import { parseShortLink } from '../input/short-links.js';
import type { Line } from './artist-lines.js';

/** For who answers a request: names that are not looked up by then are for the caller to send again. */
export const NAMES_DEADLINE_MS = 10_000;

const CANDIDATES_SHOWN = 5;

/** The longest URL of an artist is far shorter; the response repeats only the start of a line, and may be stored. */
const MAX_LINE_CHARS = 2_048;
const ECHOED_CHARS = 200;

const FAULTS: Readonly<Record<LineFault, NonNullable<BulkLine['error']>>> = {
  empty: { code: 'invalid_input', message: 'The line is empty.' },
  too_long: { code: 'invalid_input', message: 'A name has at most 100 characters.' },
  unreadable: { code: 'invalid_input', message: 'The line has characters that no name has.' },
  not_an_address: { code: 'unsupported_url', message: 'This is not the address of an artist.' },
  other_platform: {
    code: 'unsupported_url',
    message: 'This is an address of another platform than the one that is watched here.',
  },
  other_kind: { code: 'unsupported_url', message: 'This is the address of something else than an artist.' },
};

export interface BulkWatchParts {
  readonly platform: Platform;
  /** @throws ApiError, GateFull */
  readonly find: (name: string) => Promise<readonly FoundArtist[]>;
  /** The artist that a short link leads to. @throws ApiError, GateFull */
  readonly artistAt: (link: URL) => Promise<string>;
  readonly monotonicMs: () => number;
  /** How long names are looked up, in milliseconds. */
  readonly namesDeadlineMs: number;
  /** Watches as many as there is room for; `linesOf` makes the answer of what became of them. */
  readonly watch: (
    artists: readonly ArtistToWatch[],
    linesOf: (watched: WatchManyResult) => BulkLine[],
  ) => Promise<WatchManyResult>;
  /** For one line. */
  readonly newIds: () => Pick<ArtistToWatch, 'watchId' | 'artistId'>;
}

/** What a line means, once its name or its short link is looked up. */
type Meaning =
  | { readonly kind: 'artist'; readonly platformId: string; readonly name?: string }
  | { readonly kind: 'answered'; readonly answer: Pick<BulkLine, 'result' | 'error' | 'candidates'> };

/** Watches the artists of many lines: ids, addresses, short links and names. Each line has an answer, in the order of the lines. */
export async function bulkWatch(parts: BulkWatchParts, lines: readonly Line[]): Promise<BulkLine[]> {
  const meanings = await meaningsOf(parts, lines);
  const wanted = new Map<string, ArtistToWatch & { readonly index: number }>();
  for (const [index, meaning] of meanings.entries()) {
    if (meaning.kind !== 'artist' || wanted.has(meaning.platformId)) continue;
    const { platformId, name } = meaning;
    wanted.set(platformId, { platformId, name, index, ...parts.newIds() });
  }
  const linesOf = (watched: WatchManyResult) =>
    lines.map(({ number: line, text }, index) => {
      const input = [...text.slice(0, 2 * ECHOED_CHARS)].slice(0, ECHOED_CHARS).join('');
      const shown = { line, input, artist: null, error: null, candidates: [] };
      const meaning = meanings[index] as Meaning;
      if (meaning.kind === 'answered') return { ...shown, ...meaning.answer };
      return { ...shown, ...whatBecame(watched, meaning.platformId, wanted.get(meaning.platformId)?.index === index) };
    });
  return linesOf(wanted.size > 0 ? await parts.watch([...wanted.values()], linesOf) : NONE);
}

const NONE: WatchManyResult = { outcomes: {}, artists: new Map(), refusal: undefined };

/** @param isFirst of several lines that mean the same artist. */
function whatBecame(
  { outcomes, artists, refusal }: WatchManyResult,
  platformId: string,
  isFirst: boolean,
): Partial<BulkLine> & Pick<BulkLine, 'result'> {
  const outcome = outcomes[platformId];
  if (outcome === undefined) throw new Error(`Nothing became of ${platformId}.`);
  if (outcome === 'limit_reached') {
    return { result: outcome, error: refusal ? { code: refusal.code, message: refusal.message } : null };
  }
  const artist = artists.get(platformId);
  return { result: isFirst ? outcome : 'already_watched', artist: artist ? presentArtist(artist) : null };
}

/** A name, or a short link, that stands on several lines is looked up once. */
async function meaningsOf(parts: BulkWatchParts, lines: readonly Line[]): Promise<Meaning[]> {
  const untilMs = parts.monotonicMs() + parts.namesDeadlineMs;
  const known = new Map<string, Meaning>();
  const lookedUpOnce = async (what: string, lookUp: () => Promise<Meaning>) => {
    const isLate = parts.monotonicMs() >= untilMs;
    const meaning = known.get(what) ?? (isLate ? NOT_IN_TIME : await lookedUp(lookUp));
    known.set(what, meaning);
    return meaning;
  };
  const meanings: Meaning[] = [];
  for (const { text } of lines) {
    if (text.length > MAX_LINE_CHARS) {
      meanings.push(answered('invalid', LINE_TOO_LONG));
      continue;
    }
    const link = parseShortLink(text, parts.platform);
    const line = parseArtistLine(text, parts.platform);
    if (link) meanings.push(await lookedUpOnce(link.href, () => meaningOfLink(parts.artistAt, link)));
    else if (line.kind === 'id') meanings.push({ kind: 'artist', platformId: line.platformId });
    else if (line.kind === 'invalid') meanings.push(answered('invalid', FAULTS[line.reason]));
    else meanings.push(await lookedUpOnce(line.name, () => meaningOfName(parts.find, line.name)));
  }
  return meanings;
}

async function lookedUp(lookUp: () => Promise<Meaning>): Promise<Meaning> {
  try {
    return await lookUp();
  } catch (error) {
    if (error instanceof GateFull) return NOT_IN_TIME;
    if (!(error instanceof ApiError)) throw error;
    const { code, message } = error;
    return answered(code === 'unsupported_url' ? 'invalid' : 'not_looked_up', { code, message });
  }
}

async function meaningOfLink(artistAt: BulkWatchParts['artistAt'], link: URL): Promise<Meaning> {
  return { kind: 'artist', platformId: await artistAt(link) };
}

async function meaningOfName(find: BulkWatchParts['find'], name: string): Promise<Meaning> {
  const found = await find(name);
  const [only, ...others] = found.filter((artist) => isSameName(artist.name, name));
  if (only && others.length === 0) return { kind: 'artist', platformId: only.platformId, name: only.name };
  if (found.length === 0) return answered('unknown', null);
  const candidates = (only ? [only, ...others] : found).slice(0, CANDIDATES_SHOWN).map(presentCandidate);
  return { kind: 'answered', answer: { result: 'ambiguous', error: null, candidates } };
}

function answered(result: BulkLine['result'], error: BulkLine['error']): Meaning {
  return { kind: 'answered', answer: { result, error, candidates: [] } };
}

const LINE_TOO_LONG = {
  code: 'invalid_input',
  message: `A line has at most ${MAX_LINE_CHARS.toLocaleString('en-US')} characters.`,
} as const;

const NOT_IN_TIME = answered('not_looked_up', {
  code: 'upstream_timeout',
  message: 'There was no time left to look this up. Send the line again.',
});
