/** See ISO 3901. docs/api/requests.md lists the accepted notations. */

const ISRC = /^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/;
/** Text editors insert U+2010 or U+2011 instead of a hyphen. */
const SEPARATORS = /[\s\u2010\u2011-]/g;

/**
 * Returns 12 upper-case characters, or null. The prefix "ISRC" is only removed if the text is not already a code,
 * because `IS RC1 …` is an Icelandic code.
 */
export function normaliseIsrc(text: string): string | null {
  // toUpperCase would also convert a long s to S, and a ligature to "FI".
  const compact = text.replace(SEPARATORS, '').replace(/[a-z]/g, (letter) => letter.toUpperCase());
  if (ISRC.test(compact)) return compact;
  const bare = compact.startsWith('ISRC') ? compact.slice(4) : compact;
  return ISRC.test(bare) ? bare : null;
}
