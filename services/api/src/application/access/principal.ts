import type { Actor } from '@artist-watch/domain/account/actor';
import type { KeyScope } from '@artist-watch/domain/account/api-key';
import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId, ApiKeyId, FeedTokenId } from '@artist-watch/domain/ids';

/** Whose request it is. */
export interface Principal {
  /** The token's, of one who reads a feed. */
  readonly keyId: ApiKeyId | FeedTokenId;
  readonly accountId: AccountId;
  readonly plan: PlanName;
  readonly scopes: readonly KeyScope[];
  /** Below Business: does the account have destinations, or deliveries, from before? */
  readonly keepsDestinations: boolean;
}

/** The caller, as the audit records who did something; there it gets the name of its key. */
export function actorOf({ keyId }: Principal): Actor {
  return { kind: 'api_key', id: keyId, name: keyId };
}
