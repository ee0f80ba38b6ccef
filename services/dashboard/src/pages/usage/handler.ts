import { get, MEMBER, type Page, page } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { readUsage } from './query.js';
import { usageView } from './view.js';

const DEFAULT_DAYS = 30;
const CHOICES: readonly number[] = [7, DEFAULT_DAYS, 90];

/** `/usage`: what the plan allows, how much of it is used, and what was used by day. */
export function usagePages({ reads }: PageParts): Page[] {
  return [
    get('/usage', MEMBER, async (visit) => {
      const days = CHOICES.find((choice) => String(choice) === visit.query.get('days')) ?? DEFAULT_DAYS;
      await visit.begin('Usage');
      const shown = await readUsage(reads, visit, days);
      return page('Usage', usageView({ ...visit, plan: visit.account.plan, ...shown, days, choices: CHOICES }));
    }),
  ];
}
