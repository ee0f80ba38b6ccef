/**
 * How instants are written, by locale and zone. To make a format costs thirty times as much as to use it, so each is made
 * once; there are some hundred zones.
 */
export function dateFormats(
  options: Intl.DateTimeFormatOptions,
): (locale: string, timeZone: string) => Intl.DateTimeFormat {
  const made = new Map<string, Intl.DateTimeFormat>();
  return (locale, timeZone) => {
    const name = `${locale} ${timeZone}`;
    let format = made.get(name);
    if (!format) {
      format = new Intl.DateTimeFormat(locale, { ...options, timeZone });
      made.set(name, format);
    }
    return format;
  };
}

const QUARTER_MS = 900_000;
/** Two weeks of one zone. */
const MAX_TEXTS = 1_344;

/**
 * What a format writes at the beginning of an instant's quarter of an hour. Zones turn their clocks at whole quarters, so of
 * that text only minutes and seconds may differ. Lists show the same few days again and again, and writing one instant takes
 * as long as all the markup around it.
 */
export function quarterTexts(
  formatOf: (locale: string, timeZone: string) => Intl.DateTimeFormat,
): (locale: string, timeZone: string, at: Date) => string {
  const texts = new Map<string, string>();
  return (locale, timeZone, at) => {
    const quarter = Math.floor(at.getTime() / QUARTER_MS);
    const name = `${locale} ${timeZone} ${quarter}`;
    let text = texts.get(name);
    if (text === undefined) {
      text = formatOf(locale, timeZone).format(quarter * QUARTER_MS);
      if (texts.size >= MAX_TEXTS) texts.clear();
      texts.set(name, text);
    }
    return text;
  };
}
