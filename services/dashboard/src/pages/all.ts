import type { Database } from '@artist-watch/persistence/database/database';
import type { GuestPage } from '../application/guest.js';
import type { Page } from '../application/page.js';
import { settingsPages } from './settings/handler.js';
import { startPages } from './start/handler.js';

/** What pages are made with. */
export interface PageParts {
  /** Two pools, so that whatever writes wait for, they never take a connection from a read. */
  readonly reads: Database;
  readonly writes: Database;
}

/** The pages of an account, in the order in which their paths are tried. */
export function allPages(parts: PageParts): Page[] {
  return [...settingsPages(parts)];
}

export function allGuestPages(parts: PageParts): GuestPage[] {
  return [...startPages(parts)];
}
