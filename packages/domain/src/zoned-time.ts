import { dateFormats } from './date-formats.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A format for the Swedish locale, which writes dates in ISO 8601. */
const WALL_TIME = dateFormats({ dateStyle: 'short', timeStyle: 'medium' });

/**
 * Returns the local time of a zone, to the second, as if it were UTC.
 *
 * @param zone IANA time zone. @throws {RangeError} if the zone is unknown
 */
export function wallTime(at: Date | number, zone: string): Date {
  return new Date(`${WALL_TIME('sv-SE', zone).format(at).replace(' ', 'T')}Z`);
}

/** Returns the instant at which a local hour begins. @param day `YYYY-MM-DD` @param plusDays number of days to add */
export function instantOf(day: string, hour: number, zone: string, plusDays = 0): Date {
  const wantedMs = Date.parse(`${day}T00:00Z`) + plusDays * DAY_MS + hour * HOUR_MS;
  // The offset at the guessed instant can differ if the clock changes in between.
  const guessMs = wantedMs - offsetMs(wantedMs, zone);
  return new Date(wantedMs - offsetMs(guessMs, zone));
}

/** Returns the zone's offset from UTC in milliseconds. */
function offsetMs(atMs: number, zone: string): number {
  return wallTime(atMs, zone).getTime() - Math.floor(atMs / 1_000) * 1_000;
}
