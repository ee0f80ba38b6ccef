import { reportedRemoval } from '@artist-watch/harness/json-calls';
import type { AcceptedChange, Severity } from '../ledger/entries.js';

const severities: readonly Severity[] = ['critical', 'warning', 'info'];

/**
 * A hostile release name, which must have no effect in any channel (docs/api/channels.md,
 * docs/api/mails.md).
 */
export const HOSTILE_NAME =
  '<script>alert(1)</script> <!channel> @everyone [x](https://evil.example/) \u202egnp\r\nBcc: all@evil.example';

export interface ReportedChange {
  readonly item: object;
  readonly entry: Omit<AcceptedChange, 'acceptedAtMs'>;
}

/** @param number distinguishes the artist's changes and determines the severity. */
export function reportedChange(artistPlatformId: string, number: number): ReportedChange {
  const externalId = `${artistPlatformId}-${number}`;
  const severity = severities[number % severities.length] as Severity;
  return {
    entry: { externalId, severity },
    item: reportedRemoval(externalId, {
      artist_platform_id: artistPlatformId,
      severity,
      entity_id: String(number),
      entity_name: `Release ${number} ${HOSTILE_NAME}`,
      detected_at: new Date(1_760_000_000_000 + number * 1_000).toISOString(),
    }),
  };
}
