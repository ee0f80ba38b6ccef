import type { GuestPage, Page } from '../application/page.js';
import { accountPages } from './account/handler.js';
import { artistPages } from './artist/handler.js';
import { artistsPages } from './artists/handler.js';
import { changePages, sharePages } from './change/handler.js';
import { changesPages } from './changes/handler.js';
import { deliveriesPages } from './deliveries/handler.js';
import { destinationsPages } from './destinations/handler.js';
import { feedPages, feedsPages } from './feeds/handler.js';
import { overviewPages } from './overview/handler.js';
import type { PageParts } from './parts.js';
import { searchPages } from './search/handler.js';
import { settingsPages, unsubscribePages } from './settings/handler.js';
import { signInPages } from './sign-in/handler.js';
import { toolsPages } from './tools/handler.js';

/** A request is handled by the first page with a matching path. */
export function allPages(parts: PageParts): Page[] {
  return [
    changesPages,
    changePages,
    feedsPages,
    overviewPages,
    artistsPages,
    artistPages,
    searchPages,
    destinationsPages,
    deliveriesPages,
    toolsPages,
    accountPages,
    settingsPages,
  ].flatMap((pages) => pages(parts));
}

export function allGuestPages(parts: PageParts): GuestPage[] {
  return [signInPages, unsubscribePages, sharePages, feedPages].flatMap((pages) => pages(parts));
}
