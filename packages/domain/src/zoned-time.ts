import { dateFormats } from './date-formats.js';

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
