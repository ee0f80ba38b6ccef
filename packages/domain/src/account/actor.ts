import type { AccountId, ApiKeyId, FeedTokenId } from '../ids.js';
import type { KeyScope } from './api-key.js';
import type { PlanName } from './plans.js';

/** Who did something: a member in the dashboard, a key over the API, an operator with the CLI, or the service itself. */
export interface Actor {
  readonly kind: 'member' | 'api_key' | 'operator' | 'service';
  /** `mem_…` or `key_…`; null for the others. */
  readonly id: string | null;
  /** The member's address, the key's hint, or `operator`. */
  readonly name: string;
  /** Of a member, who needs it for actions with an effect (effects.ts). */
  readonly hasFreshCode?: boolean;
}

export const OPERATOR: Actor = { kind: 'operator', id: null, name: 'operator' };

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

/** What a member may do in its account: an owner also manages members, keys and secrets. */
export const MEMBER_ROLES = ['owner', 'member'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** Does this role include what the other one may do? */
export function includesRole(role: MemberRole, needed: MemberRole): boolean {
  return role === 'owner' || needed === 'member';
}
