import type { KeyScope } from '@artist-watch/domain/account/key-scopes';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, ApiKeyId } from '@artist-watch/domain/ids';

/** Whose request it is. */
export interface Identity {
  readonly keyId: ApiKeyId;
  readonly accountId: AccountId;
  readonly plan: PlanName;
  readonly scopes: readonly KeyScope[];
  /** Below Business: does the account have destinations, or deliveries, from before? */
  readonly keepsDestinations: boolean;
}
