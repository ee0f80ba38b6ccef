/** Node and browsers still list these zones under outdated names. */
const RENAMED: Readonly<Record<string, string>> = {
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Europe/Kiev': 'Europe/Kyiv',
};

export const ZONES: readonly string[] = [
  ...new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map((zone) => RENAMED[zone] ?? zone)]),
];

/**
 * Returns a zone's current name, or undefined if `Intl.DateTimeFormat` rejects the zone. Accepts more than ZONES,
 * because browsers also report other zones, such as `America/Argentina/Buenos_Aires`.
 */
export function knownZone(name: string | null): string | undefined {
  if (name === null || name === '') return undefined;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    return undefined;
  }
  return RENAMED[name] ?? name;
}
