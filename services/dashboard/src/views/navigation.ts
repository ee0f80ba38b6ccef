import type { MemberRole } from '@artist-watch/domain/account/actor';
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
  { label: 'Overview', icon: 'house', path: '' },
  { label: 'Changes', icon: 'activity', path: '/changes' },
  { label: 'Artists', icon: 'mic-vocal', path: '/artists' },
  { label: 'Destinations', icon: 'webhook', path: '/destinations' },
  { label: 'Deliveries', icon: 'send', path: '/deliveries' },
  { label: 'Tools', icon: 'wrench', path: '/tools' },
  { label: 'API keys', icon: 'key-round', path: '/keys' },
  { label: 'Members', icon: 'users', path: '/members' },
  { label: 'Usage', icon: 'chart-column', path: '/usage' },
  { label: 'Audit', icon: 'history', path: '/audit', role: 'owner' },
  { label: 'Settings', icon: 'settings', path: '/settings' },
];
