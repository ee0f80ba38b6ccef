/** The countries in which the simulated platform is open, ISO 3166-1 alpha-2. */
export const ALL_MARKETS: readonly string[] = (
  'AE AG AI AL AM AO AR AT AU AZ BA BB BD BE BF BG BH BI BJ BN BO BR BT BW BY CA CD CF CG CH CI CL CM CO CR CV CY CZ ' +
  'DE DJ DK DM DO DZ EC EE EG ES ET FI FJ FM FR GA GB GD GE GH GM GN GQ GR GT GW GY HN HR HT HU ID IE IL IN IQ IS IT JM ' +
  'JO JP KE KG KH KI KM KN KR KW KZ LA LB LC LK LR LS LT LU LV LY MA MD ME MG MK ML MM MN MR MT MU MV MW MX MY MZ NA NE ' +
  'NG NI NL NO NP NR NZ OM PA PE PG PH PK PL PT PW PY QA RO RS RW SA SB SC SE SG SI SK SL SN SO SR ST SV SZ TD TG TH TJ ' +
  'TL TM TN TO TR TT TV TZ UA UG US UY UZ VC VE VN VU WS YE ZA ZM ZW'
).split(' ');

const NORTH_AMERICA = new Set(['CA', 'MX', 'US']);

/** Where a release is sold that another company sells in North America. */
export const MARKETS_OUTSIDE_NORTH_AMERICA: readonly string[] = ALL_MARKETS.filter((code) => !NORTH_AMERICA.has(code));
