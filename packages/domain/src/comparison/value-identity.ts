/**
 * Decides when two values are equal (docs/reference/detection.md). Empty values count as unknown, because platforms
 * send them when they lose data.
 */
import type { Credit } from '../catalogue.js';
import { normaliseIsrc } from '../platform/platform-id.js';

export interface ValueIdentity<Value> {
  isKnown(value: Value): boolean;
  same(a: Value, b: Value): boolean;
  canonical(value: Value): string;
  /** True if `b` equals `a` but is more precise, such as a full date instead of a year. */
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

const INVISIBLE = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

export function isBlank(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Text without visible characters becomes empty. */
export function foldText(text: string): string {
  return isBlank(text) ? '' : text.normalize('NFC').replace(WHITE_SPACE, ' ').trim();
}

export const TEXT: ValueIdentity<string> = canonically(foldText);

/** The MD5 of an empty file, which Deezer uses for missing pictures (microlinkhq/unavatar, pull request 611). */
export const NO_PICTURE = 'd41d8cd98f00b204e9800998ecf8427e';

export const PICTURE: ValueIdentity<string> = canonically((value: string) => (value === NO_PICTURE ? '' : value));

export const FLAG: ValueIdentity<boolean> = canonically(String);

/** UPC-A, EAN-13 and GTIN-14 codes for the same product differ only in leading zeros. */
export const UPC: ValueIdentity<string> = canonically((value: string) => value.replace(/\s+/g, '').replace(/^0+/, ''));

export const ISRC: ValueIdentity<string> = canonically((value: string) => normaliseIsrc(value) ?? foldText(value));

/** `2020` equals `2020-05-01`, but is less precise. Deezer writes an unknown date as `0000-00-00`. */
export const RELEASE_DATE: ValueIdentity<string> = {
  isKnown: (value) => value !== '' && !value.startsWith('0000'),
  same: (a, b) => a === b || isPrefix(datePart(a), datePart(b)) || isPrefix(datePart(b), datePart(a)),
  canonical: datePart,
  saysMore: (a, b) => datePart(a) !== datePart(b) && isPrefix(datePart(a), datePart(b)),
};

/** Some platforms write `00` for an unknown month or day. */
function datePart(value: string): string {
  return value.replace(/(-00)+$/, '');
}

function isPrefix(short: string, long: string): boolean {
  return long === short || long.startsWith(`${short}-`);
}

/** Credits are compared by platform id if both have one, otherwise by name. */
export const CREDITS: ValueIdentity<readonly Credit[]> = {
  isKnown: (credits) => credits.length > 0,
  same: (a, b) => isSameOrder(a, b) || (areAllIn(a, b) && areAllIn(b, a)),
  canonical: (credits) =>
    [...new Set(credits.map((credit) => credit.platformId ?? `"${foldText(credit.name)}"`))].sort().join(' '),
  saysMore: (a, b) => idsOf(b).size > idsOf(a).size && areAllIn(a, b) && areAllIn(b, a),
};

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
