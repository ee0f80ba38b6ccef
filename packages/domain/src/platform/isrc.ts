/** ISO 3901, in all notations that docs/reference/api.md accepts. */

const ISRC = /^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/;
/** Text editors insert U+2010 and U+2011 for a hyphen. */
const SEPARATORS = /[\s\u2010\u2011-]/g;

/**
 * Returns 12 upper-case characters, or null. Removes a leading "ISRC" only from an invalid code, because `IS RC1 …` is
 * Icelandic.
 */
export function normaliseIsrc(text: string): string | null {
  // Only ASCII, because toUpperCase would convert a long s to S and a ligature to "FI".
  const compact = text.replace(SEPARATORS, '').replace(/[a-z]/g, (letter) => letter.toUpperCase());
  if (ISRC.test(compact)) return compact;
  const bare = compact.startsWith('ISRC') ? compact.slice(4) : compact;
  return ISRC.test(bare) ? bare : null;
}
