import type { AccountId, ApiKeyId, FeedTokenId } from '../ids.js';
import type { KeyScope } from './credentials.js';
import type { PlanName } from './plans.js';

export interface Actor {
  readonly kind: 'member' | 'api_key' | 'operator' | 'service';
  /** Operators and the service have no id. */
  readonly id: string | null;
  /** A member's email address, an API key's hint, or `operator`. */
  readonly name: string;
  /** True if the member recently entered a code, which some actions require (see EFFECTS). */
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

export type Effect = 'sends_data' | 'reveals_secret' | 'opens_data';

/** Actions that require a recently entered code and send an email to every owner. `recordAudit` enforces this. */
const EFFECTS = {
  'api_key.created': 'reveals_secret',
  'change.shared': 'opens_data',
  'destination.changed': 'sends_data',
  'destination.created': 'sends_data',
  'destination.secret_rotated': 'reveals_secret',
  'feed.created': 'opens_data',
  'member.invited': 'opens_data',
  'member.role_changed': 'opens_data',
} as const satisfies Record<string, Effect>;

export type EffectiveAction = keyof typeof EFFECTS;

/** Returns undefined if the action affects only the account. */
export function effectOf(action: string, details: Readonly<Record<string, unknown>>): Effect | undefined {
  // A destination change matters only if it sets a new URL or new headers. A role change matters only if the new role is
  // `owner`.
  if (action === 'destination.changed') {
    const changed = String(details.changed).split(', ');
    if (!changed.includes('address') && !changed.includes('headers')) return undefined;
  }
  if (action === 'member.role_changed' && details.role !== 'owner') return undefined;
  return Object.hasOwn(EFFECTS, action) ? EFFECTS[action as EffectiveAction] : undefined;
}

/** Thrown if the action requires a code, but the member has not entered one recently. */
export class FreshCodeRequired extends Error {
  override readonly name = 'FreshCodeRequired';
}
