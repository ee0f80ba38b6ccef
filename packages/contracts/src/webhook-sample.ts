import type { DetectedChangeType } from '@artist-watch/domain/change/change-types';
import { exampleOf } from './reference/change-types-page.js';
import type { WebhookSubject } from './webhook-payload.js';

const SAMPLES = {
  artist: { id: 'art_00000000000000000000000000000000', name: 'Sample Artist', platformId: 'sample-artist' },
  release: { id: 'sample-release', name: 'Sample Release' },
  track: { id: 'sample-track', name: 'Sample Track' },
};

/**
 * The change that a test of a destination reports: shaped as a real one of its type, and about things that do not exist.
 *
 * @param changeId a new one for each test, since receivers may take a repeated one for a duplicate.
 */
export function sampleChange(changeId: string, now: Date, type: DetectedChangeType = 'release_added'): WebhookSubject {
  const example = exampleOf(type, SAMPLES);
  const summary = `This is a test: no change lies behind it. ${example.summary}`;
  return { ...example, id: changeId, summary, detectedAt: now, confirmedAt: now, isTest: true };
}
