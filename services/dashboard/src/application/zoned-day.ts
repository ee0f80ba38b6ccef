import { dateFormats } from '@artist-watch/domain/date-formats';

const DAY_MS = 86_400_000;

/** As ISO 8601 has them: Swedes write them so. */
const DAY = dateFormats({ dateStyle: 'short' });
const WALL_TIME = dateFormats({ dateStyle: 'short', timeStyle: 'medium' });

/** The day of an instant by the clocks of a zone: `YYYY-MM-DD`. */
export function dayIn(zone: string, at: Date): string {
  return DAY('sv-SE', zone).format(at);
}

/** So many days in a row, as `YYYY-MM-DD`, of which the last is given; oldest first. */
export function daysUntil(last: string, count: number): string[] {
  const end = Date.parse(`${last}T00:00Z`);
  return Array.from({ length: count }, (_, index) =>
    new Date(end - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** The first instant of a day in a zone. @param plusDays counts on from the day. */
export function startOfDay(day: string, zone: string, plusDays = 0): Date {
  const utc = Date.parse(`${day}T00:00Z`) + plusDays * DAY_MS;
  const guess = utc - offsetMs(utc, zone);
  return new Date(utc - offsetMs(guess, zone));
}

/** How far the zone's clocks are ahead of UTC. */
function offsetMs(at: number, zone: string): number {
  const wall = WALL_TIME('sv-SE', zone).format(at);
  return Date.parse(`${wall.replace(' ', 'T')}Z`) - Math.floor(at / 1_000) * 1_000;
}
