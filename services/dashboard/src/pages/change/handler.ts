import { PLANS } from '@artist-watch/domain/account/plans';
import type { ChangeId } from '@artist-watch/domain/ids';
import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-url';
import { NotFound } from '@artist-watch/domain/refusals';
import { readChangeNotifications } from '@artist-watch/persistence/change/change-notifications';
import { readChangeOfAccount } from '@artist-watch/persistence/change/confirmed-changes';
import type { Database } from '@artist-watch/persistence/database/database';
import { type Page, page } from '../../application/page.js';
import { distributorText } from './distributor-text.js';
import { whyNotSent, whySkipped } from './not-sent.js';
import { changeView } from './view.js';

const CHANGE_ID = /^chg_[0-9a-f]{32}$/;
const DAY_MS = 86_400_000;
const PLATFORM_NAMES = { deezer: 'Deezer', spotify: 'Spotify' } as const;

/** `/changes/:change`: what it was and what it became, how that is known, and where it was sent. */
export function changePages({ reads }: { readonly reads: Database }): Page[] {
  return [
    {
      method: 'GET',
      path: '/changes/:change',
      answer: async ({ account, params, now, link }) => {
        if (!CHANGE_ID.test(params.change ?? '')) throw new NotFound('change');
        const id = params.change as ChangeId;
        const plan = PLANS[account.plan];
        const oldest = new Date(now.getTime() - plan.historyDays * DAY_MS);
        const change = await readChangeOfAccount(reads.pool, { accountId: account.id, id, oldest });
        const sent = await readChangeNotifications(reads.pool, { accountId: account.id, changeId: id });
        const platformName = PLATFORM_NAMES[change.platform];
        const platformUrl = knownPlatformUrl(change.platform, change.entityType, change.entityId);
        const notifications = sent.map(({ delivery, ...destination }) => ({
          ...destination,
          delivery,
          why: delivery === null ? whyNotSent(destination, change) : whySkipped(delivery.skippedReason),
        }));
        const text = change.severity === 'info' ? undefined : distributorText(change, platformName, platformUrl);
        const view = { link, plan: account.plan, change, platformName, platformUrl, notifications, text };
        return page(change.summary, changeView(view));
      },
    },
  ];
}
