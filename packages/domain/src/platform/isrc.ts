/** International Standard Recording Codes (ISO 3901), in the forms that docs/reference/api.md accepts. */

const ISRC = /^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/;
/** Includes two characters that text editors use for a hyphen: U+2010 hyphen, U+2011 non-breaking hyphen. */
const SEPARATORS = /[\s\u2010\u2011-]/g;

/**
 * Returns `us-rc1-76-07839`, `ISRC USRC17607839` and the like as 12 upper-case characters, or null if it is not an
 * ISRC. Removes a leading "ISRC" only if the whole text is not an ISRC, because `IS RC1 …` is a code of Iceland.
 */
export function normaliseIsrc(text: string): string | null {
  // Only ASCII letters: toUpperCase would convert a long s to S, and a ligature to "FI".
  const compact = text.replace(SEPARATORS, '').replace(/[a-z]/g, (letter) => letter.toUpperCase());
  if (ISRC.test(compact)) return compact;
  const bare = compact.startsWith('ISRC') ? compact.slice(4) : compact;
  return ISRC.test(bare) ? bare : null;
}
