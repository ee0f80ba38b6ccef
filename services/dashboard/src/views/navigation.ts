import type { MemberRole } from '@artist-watch/domain/account/role';
import type { IconName } from './icon.js';

export interface NavigationItem {
  readonly label: string;
  readonly icon: IconName;
  /** Below the account. */
  readonly path: string;
  /** Shown to this role and those above it; to all unless given. */
  readonly role?: MemberRole;
}

/** The entries of the navigation, in their order. A page that is not listed here is reached from another one. */
export const NAVIGATION: readonly NavigationItem[] = [
<<<<<<< HEAD
  { label: 'Members', path: '/members' },
  { label: 'Audit', path: '/audit', role: 'owner' },
  { label: 'Settings', path: '/settings' },
=======
  { label: 'Tools', icon: 'wrench', path: '/tools' },
  { label: 'Settings', icon: 'settings', path: '/settings' },
>>>>>>> 25c8483 (Give the dashboard its look: layout, stylesheet, icons and components for all pages)
];
