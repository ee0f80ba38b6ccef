import type { ChangeStatus } from '../change/change-status.js';
import type { Severity } from '../change/change-types.js';

/** Selects the changes that a destination receives (docs/reference/webhooks.md). */
export interface DestinationRules {
  /** The lowest severity to deliver. Null means all severities. */
  readonly minSeverity: Severity | null;
  /** The change types to deliver. An empty list means all types. */
  readonly changeTypes: readonly string[];
  /** The artists whose changes to deliver. An empty list means all watched artists. */
  readonly artistIds: readonly string[];
}

export const ALLOW_ALL: DestinationRules = { minSeverity: null, changeTypes: [], artistIds: [] };

/**
 * Selects changes in a feed. A change must match all given fields, and one of the values of each. Omitted fields allow
 * everything. Lists and counts in the API and database queries use the same filter.
 */
export interface ChangeFilter {
  readonly types?: readonly string[] | undefined;
  /** Selects changes of this severity or higher. */
  readonly minSeverity?: Severity | undefined;
  readonly artistId?: string | undefined;
  readonly entityId?: string | undefined;
  readonly status?: ChangeStatus | undefined;
  /** Words that must all be in the name of the entity or artist, or in the summary. Case does not matter. */
  readonly words?: readonly string[] | undefined;
}
