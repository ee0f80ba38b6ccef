/**
 * Decides when two values of a field are equal, and when a value is unknown (docs/reference/detection.md). Text is
 * NFC-normalized before the comparison, with white space folded. The order of lists never matters. Empty values are
 * unknown, because a platform that loses a field sends null, an empty string or nothing at all.
 */
import type { Credit } from '../catalogue.js';
import { normaliseIsrc } from '../platform/isrc.js';

export interface ValueIdentity<Value> {
  /** Returns false for a value that means unknown. Such a value is never compared. */
  isKnown(value: Value): boolean;
  /** True if two known values are equal. The order of the arguments does not matter. */
  same(a: Value, b: Value): boolean;
  /** Returns the same text for all values that are equal and equally precise. */
  canonical(value: Value): string;
  /** True if `b` equals `a` and is more precise, such as a full date instead of a year. */
  saysMore(a: Value, b: Value): boolean;
}

function canonically<Value>(canonical: (value: Value) => string): ValueIdentity<Value> {
  return {
    isKnown: (value) => canonical(value) !== '',
    same: (a, b) => a === b || canonical(a) === canonical(b),
    canonical,
    saysMore: () => false,
  };
}

const WHITE_SPACE = /\s+/g;

/** Matches text of only invisible characters: blanks, control characters, and Unicode's default-ignorable ones. */
const INVISIBLE = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** True if the text is invisible, such as a name that consists of a zero-width space or a Hangul filler. */
export function isBlank(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Normalizes text for comparison. Returns an empty text for invisible text. */
export function foldText(text: string): string {
  return isBlank(text) ? '' : text.normalize('NFC').replace(WHITE_SPACE, ' ').trim();
}

export const TEXT: ValueIdentity<string> = canonically(foldText);

/**
 * The MD5 of an empty file. If there is no picture, Deezer uses it as the id of a gray one (microlinkhq/unavatar, pull
 * request 611).
 */
export const NO_PICTURE = 'd41d8cd98f00b204e9800998ecf8427e';

/** Pictures are compared by their content ids. */
export const PICTURE: ValueIdentity<string> = canonically((value: string) => (value === NO_PICTURE ? '' : value));

export const FLAG: ValueIdentity<boolean> = canonically(String);

/** The UPC-A, EAN-13 and GTIN-14 codes of a product differ only in leading zeros. */
export const UPC: ValueIdentity<string> = canonically((value: string) => value.replace(/\s+/g, '').replace(/^0+/, ''));

export const ISRC: ValueIdentity<string> = canonically((value: string) => normaliseIsrc(value) ?? foldText(value));

/**
 * `2020` and `2020-05` equal `2020-05-01`, because a shorter date is only less precise. Deezer writes an unknown date
 * as `0000-00-00`.
 */
export const RELEASE_DATE: ValueIdentity<string> = {
  isKnown: (value) => value !== '' && !value.startsWith('0000'),
  same: (a, b) => a === b || isPrefix(datePart(a), datePart(b)) || isPrefix(datePart(b), datePart(a)),
  canonical: datePart,
  saysMore: (a, b) => datePart(a) !== datePart(b) && isPrefix(datePart(a), datePart(b)),
};

/** Removes `00`, which some platforms write for the unknown parts of a date. */
function datePart(value: string): string {
  return value.replace(/(-00)+$/, '');
}

function isPrefix(short: string, long: string): boolean {
  return long === short || long.startsWith(`${short}-`);
}

/**
 * Two lists of credits are equal if each contains all credits of the other. Credits are compared by platform id if both
 * have one, otherwise by name. A renamed artist is still the same credit.
 */
export const CREDITS: ValueIdentity<readonly Credit[]> = {
  isKnown: (credits) => credits.length > 0,
  same: (a, b) => isSameOrder(a, b) || (areAllIn(a, b) && areAllIn(b, a)),
  canonical: (credits) =>
    [...new Set(credits.map((credit) => credit.platformId ?? `"${foldText(credit.name)}"`))].sort().join(' '),
  saysMore: (a, b) => idsOf(b).size > idsOf(a).size && areAllIn(a, b) && areAllIn(b, a),
};

/** Detects the same ids in the same order, which is the usual case. */
function isSameOrder(a: readonly Credit[], b: readonly Credit[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ platformId }, index) => platformId !== undefined && platformId === b[index]?.platformId)
  );
}

function areAllIn(credits: readonly Credit[], others: readonly Credit[]): boolean {
  const ids = idsOf(others);
  const names = new Set(others.map(({ name }) => foldText(name)));
  const bareNames = new Set(others.flatMap(({ platformId, name }) => (platformId === undefined ? foldText(name) : [])));
  return credits.every(({ platformId, name }) =>
    platformId === undefined ? names.has(foldText(name)) : ids.has(platformId) || bareNames.has(foldText(name)),
  );
}

function idsOf(credits: readonly Credit[]): ReadonlySet<string> {
  return new Set(credits.flatMap(({ platformId }) => platformId ?? []));
}
