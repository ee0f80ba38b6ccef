import { ApiError } from '@artist-watch/contracts/api/errors';
import { type IngestAnswer, type IngestedChange, ingestedBatchParser } from '@artist-watch/contracts/ingest/changes';
import type { Platform } from '@artist-watch/domain/catalogue';
import type { Acceptance } from '../../application/ingest/accept-changes.js';
import type { IngestRoute } from './ingest-listener.js';

const MAX_NAMED_CONFLICTS = 10;

/** `POST /ingest/v1/changes` */
export function changesRoute(
  platform: Platform,
  acceptChanges: (changes: readonly IngestedChange[]) => Promise<Acceptance>,
): IngestRoute {
  const parseBatch = ingestedBatchParser(platform);
  return {
    path: '/ingest/v1/changes',
    async accept(body): Promise<IngestAnswer> {
      const batch = parseBatch(body);
      if (batch.kind === 'invalid') throw new ApiError('invalid_input', batch.message);
      const acceptance = await acceptChanges(batch.changes);
      if (acceptance.kind === 'conflict') throw new ApiError('conflict', conflictMessage(acceptance.externalIds));
      return { accepted: acceptance.accepted, duplicates: acceptance.duplicates };
    },
  };
}

function conflictMessage(externalIds: readonly string[]): string {
  const named = externalIds.slice(0, MAX_NAMED_CONFLICTS).map((id) => JSON.stringify(id));
  const left = externalIds.length - named.length;
  const list = left > 0 ? `${named.join(', ')} and ${left} more` : named.join(', ');
  return `Nothing was recorded; told before with another content: external_id ${list}.`;
}
