import type { ChangeStatus, Severity } from '../change/change-types.js';

/** See docs/api/webhooks.md. */
export interface DestinationRules {
  /** Null means all severities. */
  readonly minSeverity: Severity | null;
  /** An empty list means all types. */
  readonly changeTypes: readonly string[];
  /** If both lists are empty, all watched artists match. Otherwise, the artist or one of its groups must be listed. */
  readonly artistIds: readonly string[];
  readonly groupIds: readonly string[];
}

export const ALLOW_ALL: DestinationRules = { minSeverity: null, changeTypes: [], artistIds: [], groupIds: [] };

/** A change must match every field that is set. */
export interface ChangeFilter {
  readonly types?: readonly string[] | undefined;
  readonly minSeverity?: Severity | undefined;
  readonly artistId?: string | undefined;
  readonly groupId?: string | undefined;
  readonly entityId?: string | undefined;
  readonly status?: ChangeStatus | undefined;
  /** Each word must occur in a name or in the summary. */
  readonly words?: readonly string[] | undefined;
  /** If true, test changes match too. */
  readonly includeTest?: true | undefined;
}
