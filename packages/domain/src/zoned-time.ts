import { dateFormats } from './date-formats.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** As ISO 8601 has it: Swedes write it so. */
const WALL_TIME = dateFormats({ dateStyle: 'short', timeStyle: 'medium' });

/**
 * What the clocks of a zone show at an instant, to the second, as if they were those of UTC.
 *
 * @param zone IANA time zone. @throws {RangeError} for an unknown one.
 */
export function wallTime(at: Date | number, zone: string): Date {
  return new Date(`${WALL_TIME('sv-SE', zone).format(at).replace(' ', 'T')}Z`);
}

/** When the clocks of a zone show an hour of a day. @param day `YYYY-MM-DD`. @param plusDays counts on from the day. */
export function instantOf(day: string, hour: number, zone: string, plusDays = 0): Date {
  const wantedMs = Date.parse(`${day}T00:00Z`) + plusDays * DAY_MS + hour * HOUR_MS;
  // The second time with the offset that is in force there, should the clock be turned in between.
  const guessMs = wantedMs - offsetMs(wantedMs, zone);
  return new Date(wantedMs - offsetMs(guessMs, zone));
}

/** How far the zone's clocks are ahead of UTC. */
function offsetMs(atMs: number, zone: string): number {
  return wallTime(atMs, zone).getTime() - Math.floor(atMs / 1_000) * 1_000;
}
