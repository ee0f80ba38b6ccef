import type { AccountId, ApiKeyId } from '@artist-watch/domain/ids';
import type { PlanName } from '@artist-watch/domain/plans';

/** Whose request it is. */
export interface Identity {
  readonly keyId: ApiKeyId;
  readonly accountId: AccountId;
  readonly plan: PlanName;
}
