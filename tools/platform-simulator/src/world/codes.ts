const ISRC_COUNTRIES = ['US', 'GB', 'FR', 'DE', 'SE', 'NL', 'CA', 'AU', 'JP', 'BR', 'QM', 'QZ'] as const;
const REGISTRANT_CHARS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const REGISTRANTS = 36 ** 3;
const DESIGNATIONS = 100_000;

/**
 * Creates a unique ISRC (ISO 3901). Multiplying by a number coprime to the range yields every value once.
 * @param year only its last two digits are used.
 */
export function makeIsrc(owner: number, recording: number, year: number): string {
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

/** A UPC-A has 11 digits and the GS1 check digit. */
export function makeUpc(release: number): string {
  const scattered = (BigInt(release) * 7_364_918_273n + 4_071_996_113n) % 10_000_000_000n;
  const digits = `6${String(scattered).padStart(10, '0')}`;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits[i]) * (i % 2 === 0 ? 3 : 1);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** ISO 3166-1 alpha-2. */
export const ALL_MARKETS: readonly string[] = (
  'AE AG AI AL AM AO AR AT AU AZ BA BB BD BE BF BG BH BI BJ BN BO BR BT BW BY CA CD CF CG CH CI CL CM CO CR CV CY CZ ' +
  'DE DJ DK DM DO DZ EC EE EG ES ET FI FJ FM FR GA GB GD GE GH GM GN GQ GR GT GW GY HN HR HT HU ID IE IL IN IQ IS IT JM ' +
  'JO JP KE KG KH KI KM KN KR KW KZ LA LB LC LK LR LS LT LU LV LY MA MD ME MG MK ML MM MN MR MT MU MV MW MX MY MZ NA NE ' +
  'NG NI NL NO NP NR NZ OM PA PE PG PH PK PL PT PW PY QA RO RS RW SA SB SC SE SG SI SK SL SN SO SR ST SV SZ TD TG TH TJ ' +
  'TL TM TN TO TR TT TV TZ UA UG US UY UZ VC VE VN VU WS YE ZA ZM ZW'
).split(' ');

const NORTH_AMERICA = new Set(['CA', 'MX', 'US']);

export const MARKETS_OUTSIDE_NORTH_AMERICA: readonly string[] = ALL_MARKETS.filter((code) => !NORTH_AMERICA.has(code));
