import { z } from 'zod';
import { parseInstant } from '../ingest/instant.js';

/** An offset whose `+` was not percent-encoded, and so arrives as a space. */
const OFFSET_AFTER_SPACE = / (\d{2}:\d{2})$/;

/** Digits that a millisecond cannot hold, one of them not 0. */
const FINER_THAN_MS = /\.\d{3}0*[1-9]/;

/**
 * The instant from which on changes are listed, inclusive: strict RFC 3339 (docs/reference/api.md).
 *
 * Confirmations are kept to the millisecond, so an instant between two milliseconds is rounded up: what was confirmed
 * before it stays out.
 *
 * @returns undefined for anything else.
 */
export function parseSince(text: string): Date | undefined {
  const repaired = text.replace(OFFSET_AFTER_SPACE, '+$1');
  const instant = parseInstant(repaired);
  if (!instant) return undefined;
  return FINER_THAN_MS.test(repaired) ? new Date(instant.getTime() + 1) : instant;
}

const FORM = 'must be one RFC 3339 instant with a zone, such as 2026-05-01T12:00:00Z';

const instantParameter = (message: string, example: string) =>
  z
    .string()
    .transform((text, context) => {
      const instant = parseSince(text);
      if (instant) return instant;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .meta({ format: 'date-time', example });

export const sinceSchema = instantParameter(`"since" ${FORM}.`, '2026-05-01T12:00:00Z');

/** The end of a range of time, exclusive. */
export const untilSchema = instantParameter(FORM, '2026-05-02T12:00:00Z');
