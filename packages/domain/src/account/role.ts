/** What a member may do in its account: an owner also manages members, keys and secrets. */
export type MemberRole = 'owner' | 'member';

export const MEMBER_ROLES = ['owner', 'member'] as const satisfies readonly MemberRole[];

/** Does this role include what the other one may do? */
export function includesRole(role: MemberRole, needed: MemberRole): boolean {
  return role === 'owner' || needed === 'member';
}
