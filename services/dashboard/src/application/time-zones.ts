/** Cities that Node and browsers still call by an older name than the time zone database does. */
const RENAMED: Readonly<Record<string, string>> = {
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Europe/Kiev': 'Europe/Kyiv',
};

/** All that may be chosen. */
export const ZONES: readonly string[] = [
  ...new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map((zone) => RENAMED[zone] ?? zone)]),
];

/** @param name as a browser calls it; undefined for what is no zone that may be chosen */
export function knownZone(name: string | null): string | undefined {
  return name === null ? undefined : ZONES.find((zone) => zone === (RENAMED[name] ?? name));
}
