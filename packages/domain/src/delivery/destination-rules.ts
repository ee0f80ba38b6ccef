import type { Severity } from '../change/change-types.js';

/** Which changes a destination lets through (docs/reference/webhooks.md). */
export interface DestinationRules {
  /** The lowest severity that passes; null for every one. */
  readonly minSeverity: Severity | null;
  /** Empty for every type. */
  readonly changeTypes: readonly string[];
  /** Empty for every artist that the account watches. */
  readonly artistIds: readonly string[];
}

export const LET_ALL_THROUGH: DestinationRules = { minSeverity: null, changeTypes: [], artistIds: [] };

/**
 * Which changes of a feed are asked for: AND between what is given, OR within; what is left out lets everything through.
 * The same in the API's lists, in its counts and in the record.
 */
export interface ChangeFilter {
  readonly types?: readonly string[] | undefined;
  /** This severity or higher. */
  readonly minSeverity?: Severity | undefined;
  readonly artistId?: string | undefined;
  readonly entityId?: string | undefined;
  /** Each of them stands in the entity's name, the artist's or the summary, in any letter case. */
  readonly words?: readonly string[] | undefined;
}
