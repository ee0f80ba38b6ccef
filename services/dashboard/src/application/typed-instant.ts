import { parseSince } from '@artist-watch/contracts/api/since';

/** A day alone begins in UTC. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const INSTANT_HINT = 'must be a day such as 2026-05-01, or an instant such as 2026-05-01T12:00:00Z';

/** An instant that somebody typed, or a link has; undefined for what is none. */
export function typedInstant(text: string): Date | undefined {
  return parseSince(DAY.test(text) ? `${text}T00:00:00Z` : text);
}
