import type { EntityType, Severity } from '../change/change-types.js';

/** What a message to people says of a change: what its frozen webhook body holds. */
export interface ChangeMessage {
  readonly changeId: string;
  readonly artist: string;
  readonly entityType: EntityType;
  readonly entityName: string;
  readonly severity: Severity;
  readonly changeType: string;
  readonly summary: string;
  readonly detectedAt: Date;
}

const ABBREVIATIONS: Readonly<Record<string, string>> = { isrc: 'ISRC', upc: 'UPC' };

/** `release_removed` as people write it: `Release removed`. */
export function changeTitle(changeType: string): string {
  const words = changeType.split('_').filter(Boolean);
  const title = words.map((word) => ABBREVIATIONS[word] ?? word).join(' ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** Of a change of the artist the name is the artist's own. */
export function changeSubject({ entityType, entityName, artist }: ChangeMessage): string {
  return entityType === 'artist' ? artist : `${entityName} by ${artist}`;
}

/** To the minute, in UTC. */
export function utcMinute(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
