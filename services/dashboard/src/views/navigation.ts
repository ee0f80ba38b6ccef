import type { MemberRole } from '@artist-watch/domain/account/role';

export interface NavigationItem {
  readonly label: string;
  /** Below the account. */
  readonly path: string;
  /** Shown to this role and those above it; to all unless given. */
  readonly role?: MemberRole;
}

/** The entries of the navigation, in their order. A page that is not listed here is reached from another one. */
export const NAVIGATION: readonly NavigationItem[] = [
  { label: 'Members', path: '/members' },
  { label: 'Audit', path: '/audit', role: 'owner' },
  { label: 'Settings', path: '/settings' },
];
