import type { AccountId, ApiKeyId, FeedTokenId } from '../ids.js';
import type { KeyScope } from './api-key.js';
import type { PlanName } from './plans.js';

/** The actor of an action: a member in the dashboard, an API key, an operator with the CLI, or the service itself. */
export interface Actor {
  readonly kind: 'member' | 'api_key' | 'operator' | 'service';
  /** `mem_…` or `key_…`; null for the others. */
  readonly id: string | null;
  /** The member's email address, the key's hint, or `operator`. */
  readonly name: string;
  /** Only for members, who need a fresh code for actions with an effect (effects.ts). */
  readonly hasFreshCode?: boolean;
}

export const OPERATOR: Actor = { kind: 'operator', id: null, name: 'operator' };

/** The authenticated caller of a request. */
export interface Principal {
  /** A feed token's id if the request reads a feed. */
  readonly keyId: ApiKeyId | FeedTokenId;
  readonly accountId: AccountId;
  readonly plan: PlanName;
  readonly scopes: readonly KeyScope[];
  /** Below Business: true if the account still has destinations or deliveries from an earlier plan. */
  readonly keepsDestinations: boolean;
  /** The key is rejected from this time on. */
  readonly expiresAt?: Date | null;
}

/** Returns the caller as an actor for the audit, which replaces `name` with the key's name. */
export function toActor({ keyId }: Principal): Actor {
  return { kind: 'api_key', id: keyId, name: keyId };
}

/** Roles in an account. An owner can also manage members, keys and secrets. */
export const MEMBER_ROLES = ['owner', 'member'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** True if `role` has all rights of `needed`. */
export function includesRole(role: MemberRole, needed: MemberRole): boolean {
  return role === 'owner' || needed === 'member';
}
