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
