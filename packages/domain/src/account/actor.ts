import type { AccountId, ApiKeyId, FeedTokenId } from '../ids.js';
import type { KeyScope } from './api-key.js';
import type { PlanName } from './plans.js';

export interface Actor {
  readonly kind: 'member' | 'api_key' | 'operator' | 'service';
  /** Operators and the service have no id. */
  readonly id: string | null;
  /** A member's email address, an API key's hint, or `operator`. */
  readonly name: string;
  /** True if the member recently entered a code, which some actions require (effects.ts). */
  readonly hasFreshCode?: boolean;
}

export const OPERATOR: Actor = { kind: 'operator', id: null, name: 'operator' };

export interface Principal {
  readonly keyId: ApiKeyId | FeedTokenId;
  readonly accountId: AccountId;
  readonly plan: PlanName;
  readonly scopes: readonly KeyScope[];
  /** True if an account below Business still has destinations or deliveries from an earlier plan. */
  readonly keepsDestinations: boolean;
  readonly expiresAt?: Date | null;
}

/** The audit log replaces `name` with the key's name. */
export function toActor({ keyId }: Principal): Actor {
  return { kind: 'api_key', id: keyId, name: keyId };
}

/** Only owners manage members, keys and secrets. */
export const MEMBER_ROLES = ['owner', 'member'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export function includesRole(role: MemberRole, needed: MemberRole): boolean {
  return role === 'owner' || needed === 'member';
}
