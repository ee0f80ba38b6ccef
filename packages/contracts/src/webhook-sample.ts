import { CHANGE_TYPES, type DetectedChangeType, type EntityType } from '@artist-watch/domain/change/change-types';
import { summariseReported } from '@artist-watch/domain/change/summary';
import { EXAMPLE_VALUES } from './reference/change-types-page.js';
import type { WebhookSubject } from './webhook-payload.js';

const ARTIST = { id: 'art_00000000000000000000000000000000', name: 'Sample Artist', platformId: 'sample-artist' };

const ENTITIES: Readonly<Record<EntityType, { readonly id: string; readonly name: string }>> = {
  artist: { id: ARTIST.platformId, name: ARTIST.name },
  release: { id: 'sample-release', name: 'Sample Release' },
  track: { id: 'sample-track', name: 'Sample Track' },
};

/**
 * The change that a test of a destination reports: shaped as a real one of its type, and about things that do not exist.
 *
 * @param changeId a new one for each test, since receivers may take a repeated one for a duplicate.
 */
export function sampleChange(changeId: string, now: Date, type: DetectedChangeType = 'release_added'): WebhookSubject {
  const { entityType, severity } = CHANGE_TYPES[type];
  const entity = ENTITIES[entityType];
  const sentence = summariseReported({ type, entityType, entityName: entity.name, artistName: ARTIST.name });
  return {
    id: changeId,
    platform: 'deezer',
    artist: ARTIST,
    entityType,
    entityId: entity.id,
    entityName: entity.name,
    severity,
    type,
    summary: `This is a test: no change lies behind it. ${sentence}`,
    detectedAt: now,
    confirmedAt: now,
    ...EXAMPLE_VALUES[type],
    isTest: true,
  };
}
