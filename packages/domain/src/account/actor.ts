import type { AccountId, ApiKeyId, FeedTokenId } from '../ids.js';
import type { KeyScope } from './api-key.js';
import type { PlanName } from './plans.js';

/** The actor of an action: a member in the dashboard, an API key, an operator with the CLI, or the service itself. */
export interface Actor {
  readonly kind: 'member' | 'api_key' | 'operator' | 'service';
  /** The actor's id, `mem_…` or `key_…`. Null for an operator and for the service. */
  readonly id: string | null;
  /** The member's email address, the hint of the API key, or `operator`. */
  readonly name: string;
  /**
   * True if the member has entered a fresh code. Actions that affect more than the account require one (effects.ts).
   */
  readonly hasFreshCode?: boolean;
}

export const OPERATOR: Actor = { kind: 'operator', id: null, name: 'operator' };

/** The authenticated caller of an API request. */
export interface Principal {
  /** The id of the API key, or of the feed token if the request reads a feed. */
  readonly keyId: ApiKeyId | FeedTokenId;
  readonly accountId: AccountId;
  readonly plan: PlanName;
  readonly scopes: readonly KeyScope[];
  /** True if an account below Business still has destinations or deliveries from an earlier plan. */
  readonly keepsDestinations: boolean;
  /** The key is rejected from this time on. */
  readonly expiresAt?: Date | null;
}

/** Returns the caller as an actor for the audit log. The log replaces `name` with the key's name. */
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
