/** Codes of the trade, valid in form and unique within a catalogue. */

const ISRC_COUNTRIES = ['US', 'GB', 'FR', 'DE', 'SE', 'NL', 'CA', 'AU', 'JP', 'BR', 'QM', 'QZ'] as const;
const REGISTRANT_CHARS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const REGISTRANTS = 36 ** 3;
const DESIGNATIONS = 100_000;

/**
 * ISO 3901: country, registrant, year, designation. Multiplying by a number that shares no factor with the range visits
 * every value of it once, so codes look scattered and never meet.
 *
 * @param owner running number of the artist who registers it
 * @param recording running number of the recording of that artist
 * @param year of which the last two digits are used
 */
export function isrcOf(owner: number, recording: number, year: number): string {
  const country = ISRC_COUNTRIES[owner % ISRC_COUNTRIES.length];
  let rest = (owner * 30_011 + 11_213) % REGISTRANTS;
  let registrant = '';
  for (let i = 0; i < 3; i++) {
    registrant = REGISTRANT_CHARS.charAt(rest % 36) + registrant;
    rest = Math.floor(rest / 36);
  }
  const designation = (recording * 31_013 + 20_117) % DESIGNATIONS;
  return `${country}${registrant}${String(year % 100).padStart(2, '0')}${String(designation).padStart(5, '0')}`;
}

/** A UPC-A: 11 digits from the release's running number, and the check digit of GS1. */
export function upcOf(release: number): string {
  const scattered = (BigInt(release) * 7_364_918_273n + 4_071_996_113n) % 10_000_000_000n;
  const digits = `6${String(scattered).padStart(10, '0')}`;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits[i]) * (i % 2 === 0 ? 3 : 1);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
