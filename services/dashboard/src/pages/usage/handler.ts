import { artistsUsed, PLANS } from '@artist-watch/domain/account/plans';
import { readUsage, readUsageHistory } from '@artist-watch/persistence/account/usage-store';
import { get, type Page, page } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { CHOICES, usageView } from './view.js';

const DEFAULT_DAYS = 30;

export function usagePages({ reads }: PageParts): Page[] {
  return [
    get('/usage', 'member', async (visit) => {
      const days = CHOICES.find((choice) => String(choice) === visit.query.get('days')) ?? DEFAULT_DAYS;
      await visit.begin('Usage');
      const { id, plan } = visit.account;
      const limits = PLANS[plan];
      const [used, history] = await Promise.all([
        readUsage(reads, id, visit.now),
        readUsageHistory(reads, id, days, visit.now),
      ]);
      const use = { ...used, artists: artistsUsed(used, limits) };
      return page('Usage', usageView({ ...visit, plan, limits, use, history, days }));
    }),
  ];
}
