import type { ChangeStatus } from '../change/change-status.js';
import type { Severity } from '../change/change-types.js';

/** Selects the changes that a destination receives (docs/reference/webhooks.md). */
export interface DestinationRules {
  /** The lowest severity to deliver; null for all. */
  readonly minSeverity: Severity | null;
  /** Empty for all types. */
  readonly changeTypes: readonly string[];
  /** Empty for all watched artists. */
  readonly artistIds: readonly string[];
}

export const ALLOW_ALL: DestinationRules = { minSeverity: null, changeTypes: [], artistIds: [] };

/**
 * Selects changes of a feed. Fields are combined with AND, values within a field with OR. Omitted fields allow
 * everything. The API's lists and counts and the database queries use the same filter.
 */
export interface ChangeFilter {
  readonly types?: readonly string[] | undefined;
  /** This severity or higher. */
  readonly minSeverity?: Severity | undefined;
  readonly artistId?: string | undefined;
  readonly entityId?: string | undefined;
  readonly status?: ChangeStatus | undefined;
  /** Each word must be in the entity's name, the artist's name or the summary, case-insensitive. */
  readonly words?: readonly string[] | undefined;
}
