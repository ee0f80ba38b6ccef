import { artistsUsed, PLANS } from '@artist-watch/domain/account/plans';
import { usageHistory, usageStore } from '@artist-watch/persistence/account/usage-store';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Visit } from '../../application/page.js';

/** What the page shows, in two statements. */
export async function readUsage(database: Database, { account, now }: Visit, days: number) {
  const limits = PLANS[account.plan];
  const [use, history] = await Promise.all([
    usageStore(database).read(account.id, now),
    usageHistory(database).read(account.id, days, now),
  ]);
  return { use: { ...use, artists: artistsUsed(use, limits) }, limits, history };
}
