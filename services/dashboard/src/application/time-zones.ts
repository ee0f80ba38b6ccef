/** Zones that Node and browsers still list with an older name than the time zone database. */
const RENAMED: Readonly<Record<string, string>> = {
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Europe/Kiev': 'Europe/Kyiv',
};

/** The zones that members can choose. */
export const ZONES: readonly string[] = [
  ...new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map((zone) => RENAMED[zone] ?? zone)]),
];

/** The zone that a browser reports, or undefined if it is not in the list. */
export function knownZone(name: string | null): string | undefined {
  return name === null ? undefined : ZONES.find((zone) => zone === (RENAMED[name] ?? name));
}
