import { z } from 'zod';
import { parseInstant } from '../ingest/field-types.js';

/** If `+` is not percent-encoded, it arrives as a space. */
const OFFSET_AFTER_SPACE = / (\d{2}:\d{2})$/;

const FINER_THAN_MS = /\.\d{3}0*[1-9]/;

/**
 * Parses strict RFC 3339 (docs/api/requests.md). Rounds up to whole milliseconds, so that changes before the given time
 * are excluded.
 * @returns undefined for any other text
 */
export function parseSince(text: string): Date | undefined {
  const repaired = text.replace(OFFSET_AFTER_SPACE, '+$1');
  const instant = parseInstant(repaired);
  if (!instant) return undefined;
  return FINER_THAN_MS.test(repaired) ? new Date(instant.getTime() + 1) : instant;
}

const FORM = 'must be a single RFC 3339 time with a zone, such as 2026-05-01T12:00:00Z';

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

/** Exclusive. */
export const untilSchema = instantParameter(FORM, '2026-05-02T12:00:00Z');
