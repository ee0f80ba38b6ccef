import type { Database } from '@artist-watch/persistence/database/database';
import type { GuestPage } from '../application/guest.js';
import type { Page } from '../application/page.js';
import type { Watching } from '../application/watching.js';
import { artistPages } from './artist/handler.js';
import { type ArtistsParts, artistsPages } from './artists/handler.js';
import { auditPages } from './audit/handler.js';
import { type ChangeParts, changePages, sharePages } from './change/handler.js';
import { changesPages } from './changes/handler.js';
import { deliveriesPages } from './deliveries/handler.js';
import type { DestinationsParts } from './destinations/destinations-parts.js';
import { destinationsPages } from './destinations/handler.js';
import { type FeedsParts, feedPages, feedsPages } from './feeds/handler.js';
import { type FreshCodeParts, freshCodePages } from './fresh-code/handler.js';
import { keysPages } from './keys/handler.js';
import { membersPages } from './members/handler.js';
import { overviewPages } from './overview/handler.js';
import { searchPages } from './search/handler.js';
import { settingsPages } from './settings/handler.js';
import { type SignInParts, signInPages } from './sign-in/handler.js';
import { startPages } from './start/handler.js';
import { type ToolsParts, toolsPages } from './tools/handler.js';
import { type UnsubscribeParts, unsubscribePages } from './unsubscribe/handler.js';
import { usagePages } from './usage/handler.js';

/** What pages are made with. */
export interface PageParts
  extends SignInParts,
    FreshCodeParts,
    UnsubscribeParts,
    ToolsParts,
    ChangeParts,
    DestinationsParts,
    FeedsParts {
  /** Two pools, so that whatever writes wait for, they never take a connection from a read. */
  readonly reads: Database;
  readonly writes: Database;
  readonly watching: Watching;
  /** Of DASHBOARD_URL. */
  readonly origin: string;
  readonly tools: ToolsParts['tools'] & ArtistsParts['tools'];
}

/** The pages of an account, in the order in which their paths are tried. */
export function allPages(parts: PageParts): Page[] {
  return [
    ...changesPages(parts),
    ...changePages(parts),
    ...feedsPages(parts),
    ...overviewPages(parts),
    ...artistsPages(parts),
    ...artistPages(parts),
    ...searchPages(parts),
    ...usagePages(parts),
    ...destinationsPages(parts),
    ...deliveriesPages(parts),
    ...toolsPages(parts),
    ...keysPages(parts),
    ...membersPages(parts),
    ...auditPages(parts),
    ...settingsPages(parts),
    ...freshCodePages(parts),
  ];
}

export function allGuestPages(parts: PageParts): GuestPage[] {
  return [
    ...startPages(parts),
    ...signInPages(parts),
    ...unsubscribePages(parts),
    ...sharePages(parts),
    ...feedPages(parts),
  ];
}
