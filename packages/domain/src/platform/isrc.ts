/** International Standard Recording Codes (ISO 3901), in all notations that docs/reference/api.md accepts. */

const ISRC = /^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/;
/**
 * Matches the separators in an ISRC, including two characters that text editors insert for a hyphen: U+2010 and U+2011.
 */
const SEPARATORS = /[\s\u2010\u2011-]/g;

/**
 * Normalizes `us-rc1-76-07839`, `ISRC USRC17607839` and the like to 12 upper-case characters. Returns null if the text
 * is not an ISRC. Removes a leading "ISRC" only if the whole text is not an ISRC, because `IS RC1 …` is a code of
 * Iceland.
 */
export function normaliseIsrc(text: string): string | null {
  // Converts only ASCII letters, because toUpperCase would convert a long s to S and a ligature to "FI".
  const compact = text.replace(SEPARATORS, '').replace(/[a-z]/g, (letter) => letter.toUpperCase());
  if (ISRC.test(compact)) return compact;
  const bare = compact.startsWith('ISRC') ? compact.slice(4) : compact;
  return ISRC.test(bare) ? bare : null;
}
