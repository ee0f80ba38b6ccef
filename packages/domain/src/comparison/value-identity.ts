/**
 * When two values of a field are the same, and when a value says nothing (docs/reference/detection.md): text is compared
 * NFC-normalised with white space folded, the order of lists never matters, and what is empty is unknown, because a
 * platform that loses a field sends null, an empty string or nothing at all.
 */
import type { Credit } from '../catalogue.js';
import { normaliseIsrc } from '../platform/isrc.js';

export interface ValueIdentity<Value> {
  /** False for a value that says nothing, and so is never compared. */
  isKnown(value: Value): boolean;
  /** Both known. Symmetric. */
  same(a: Value, b: Value): boolean;
  /** Equal for values that are the same and equally precise. */
  canonical(value: Value): string;
  /** True when `b` is the same as `a` and says more: a whole date where only the year was known. */
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

/** Only characters that draw nothing: blanks, control characters, and what Unicode calls default-ignorable. */
const INVISIBLE = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Whether a reader sees nothing of the text, as of a name that is a zero-width space or a Hangul filler. */
export function isBlank(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Empty for text of which a reader sees nothing. */
export function foldText(text: string): string {
  return isBlank(text) ? '' : text.normalize('NFC').replace(WHITE_SPACE, ' ').trim();
}

export const TEXT: ValueIdentity<string> = canonically(foldText);

/** The MD5 of no bytes: Deezer serves a gray picture under it where it has none (microlinkhq/unavatar, pull request 611). */
export const NO_PICTURE = 'd41d8cd98f00b204e9800998ecf8427e';

/** Content ids of pictures: opaque. */
export const PICTURE: ValueIdentity<string> = canonically((value: string) => (value === NO_PICTURE ? '' : value));

export const FLAG: ValueIdentity<boolean> = canonically(String);

/** UPC-A, EAN-13 and GTIN-14 of one article are the same number with more or fewer zeros in front. */
export const UPC: ValueIdentity<string> = canonically((value: string) => value.replace(/\s+/g, '').replace(/^0+/, ''));

export const ISRC: ValueIdentity<string> = canonically((value: string) => normaliseIsrc(value) ?? foldText(value));

/**
 * `2020` and `2020-05` agree with `2020-05-01`: the shorter one knows less. `0000-00-00` is how Deezer says unknown.
 */
export const RELEASE_DATE: ValueIdentity<string> = {
  isKnown: (value) => value !== '' && !value.startsWith('0000'),
  same: (a, b) => a === b || isPrefix(datePart(a), datePart(b)) || isPrefix(datePart(b), datePart(a)),
  canonical: datePart,
  saysMore: (a, b) => datePart(a) !== datePart(b) && isPrefix(datePart(a), datePart(b)),
};

/** Parts that are unknown are written 00 by some platforms. */
function datePart(value: string): string {
  return value.replace(/(-00)+$/, '');
}

function isPrefix(short: string, long: string): boolean {
  return long === short || long.startsWith(`${short}-`);
}

/**
 * Credits are the same when each side finds all of its own on the other: by the platform's id where both have one, by
 * name where one has none. A renamed artist is the same credit.
 */
export const CREDITS: ValueIdentity<readonly Credit[]> = {
  isKnown: (credits) => credits.length > 0,
  same: (a, b) => alike(a, b) || (allFoundIn(a, b) && allFoundIn(b, a)),
  canonical: (credits) =>
    [...new Set(credits.map((credit) => credit.platformId ?? `"${foldText(credit.name)}"`))].sort().join(' '),
  saysMore: (a, b) => idsOf(b).size > idsOf(a).size && allFoundIn(a, b) && allFoundIn(b, a),
};

/** The usual case: nothing changed, and the order is the same. */
function alike(a: readonly Credit[], b: readonly Credit[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ platformId }, index) => platformId !== undefined && platformId === b[index]?.platformId)
  );
}

function allFoundIn(credits: readonly Credit[], others: readonly Credit[]): boolean {
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
