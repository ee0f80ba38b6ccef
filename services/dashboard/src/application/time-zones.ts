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

/**
 * The zone that a browser reports or a member chooses, or undefined if `Intl.DateTimeFormat` rejects it. Browsers report more
 * names than Node lists: `America/Argentina/Buenos_Aires` here is `America/Buenos_Aires`.
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
