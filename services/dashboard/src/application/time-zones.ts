/** Time zones that Node and browsers list under an outdated name, with their current names. */
const RENAMED: Readonly<Record<string, string>> = {
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Europe/Kiev': 'Europe/Kyiv',
};

/** The time zones that members can choose. */
export const ZONES: readonly string[] = [
  ...new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map((zone) => RENAMED[zone] ?? zone)]),
];

/**
 * Returns the current name of a zone that a browser reports or a member chooses, or undefined if `Intl.DateTimeFormat`
 * rejects it. The zone need not be in ZONES: browsers report `America/Argentina/Buenos_Aires`, which Node lists as
 * `America/Buenos_Aires`.
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
