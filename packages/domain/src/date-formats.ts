/**
 * Creates date formats and caches them by locale and zone, because creating a format takes thirty times as long as
 * using it. A few hundred zones exist.
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
/** The number of quarter hours in two weeks. */
const MAX_TEXTS = 1_344;

/**
 * Formats the start of an instant's quarter hour and caches the text. Zones change their clocks only at whole quarters,
 * so within a quarter only minutes and seconds differ. Lists show the same few days again and again, and formatting an
 * instant takes as long as rendering all the markup around it.
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
