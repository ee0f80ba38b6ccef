import type { WebhookSubject } from './webhook-payload.js';

/**
 * The change that a test of a destination tells: shaped as a real one, and about things that do not exist.
 *
 * @param changeId a new one for each test, since receivers may take a repeated one for a duplicate.
 */
export function sampleChange(changeId: string, now: Date): WebhookSubject {
  return {
    id: changeId,
    artist: { id: 'art_00000000000000000000000000000000', name: 'Sample Artist', platformId: 'sample-artist' },
    entityType: 'release',
    entityId: 'sample-release',
    entityName: 'Sample Release',
    severity: 'info',
    type: 'release_added',
    summary: 'This is a test: no change lies behind it.',
    detectedAt: now,
  };
}
