import type { ChangeStatus } from '../change/change-status.js';
import type { Severity } from '../change/change-types.js';

/** Selects the changes that a destination receives (docs/reference/webhooks.md). */
export interface DestinationRules {
  /** Null means all severities. */
  readonly minSeverity: Severity | null;
  /** An empty list means all types. */
  readonly changeTypes: readonly string[];
  /** An empty list means all watched artists. */
  readonly artistIds: readonly string[];
}

export const ALLOW_ALL: DestinationRules = { minSeverity: null, changeTypes: [], artistIds: [] };

/** A change must match one value of each given field. */
export interface ChangeFilter {
  readonly types?: readonly string[] | undefined;
  /** This severity or higher. */
  readonly minSeverity?: Severity | undefined;
  readonly artistId?: string | undefined;
  readonly entityId?: string | undefined;
  readonly status?: ChangeStatus | undefined;
  /** All words must be in a name or the summary. Case does not matter. */
  readonly words?: readonly string[] | undefined;
}
