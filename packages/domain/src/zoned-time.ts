/**
 * Limits memory use, because each format takes 30 KiB and members can spell a time zone in thousands of ways
 * (`eUROPE/pARIS`).
 */
const MAX_FORMATS = 200;

/** The British locale shortens every month to three letters, except for September. */
class DateFormat extends Intl.DateTimeFormat {
  override format(date?: Date | number): string {
    return super.format(date).replace(/\bSept\b/, 'Sep');
  }
}

/** Caches formats, because creating one takes thirty times as long as using it. */
export function dateFormats(
  options: Intl.DateTimeFormatOptions,
): (locale: string, timeZone: string) => Intl.DateTimeFormat {
  const made = new Map<string, Intl.DateTimeFormat>();
  return (locale, timeZone) => {
    const name = `${locale} ${timeZone}`;
    let format = made.get(name);
    if (!format) {
      format = new DateFormat(locale, { ...options, timeZone });
      if (made.size >= MAX_FORMATS) made.clear();
      made.set(name, format);
    }
    return format;
  };
}

const QUARTER_MS = 900_000;
/** The number of quarter hours in two weeks. */
const MAX_TEXTS = 1_344;

/** Caches one string per quarter hour, because clocks only ever change on a quarter hour. */
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

const MINUTES = dateFormats({
  ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
});

/** Returns a time such as "26 Nov 2026, 20:07 CET". */
export function minuteText(at: Date, zone: string): string {
  return MINUTES('en-GB', zone).format(at);
}

const DAYS = dateFormats({ dateStyle: 'medium' });

/** Returns a date such as "12 Sep 2025", or the argument itself if it isn't a complete date. */
export function releaseDateText(date: string): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(at) ? date : DAYS('en-GB', 'UTC').format(at);
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The Swedish locale writes dates in ISO 8601. */
const WALL_TIME = dateFormats({ dateStyle: 'short', timeStyle: 'medium' });

/**
 * Returns the local time as if it were UTC.
 * @param zone IANA time zone. @throws {RangeError} if the zone is unknown
 */
export function wallTime(at: Date | number, zone: string): Date {
  return new Date(`${WALL_TIME('sv-SE', zone).format(at).replace(' ', 'T')}Z`);
}

/** @param day `YYYY-MM-DD` */
export function instantOf(day: string, hour: number, zone: string, plusDays = 0): Date {
  const wantedMs = Date.parse(`${day}T00:00Z`) + plusDays * DAY_MS + hour * HOUR_MS;
  // The offset may be different at the guessed time if the clocks change in between.
  const guessMs = wantedMs - offsetMs(wantedMs, zone);
  return new Date(wantedMs - offsetMs(guessMs, zone));
}

/** Milliseconds from UTC. */
function offsetMs(atMs: number, zone: string): number {
  return wallTime(atMs, zone).getTime() - Math.floor(atMs / 1_000) * 1_000;
}
