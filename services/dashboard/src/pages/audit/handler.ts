import { listAudit } from '@artist-watch/persistence/account/audit';
import type { Database } from '@artist-watch/persistence/database/database';
import { type Page, page } from '../../application/page.js';
import { auditView } from './view.js';

const PAGE_EVENTS = 50;
const EVENT_ID = /^aud_[0-9a-f]{32}$/;

/** `/audit`: who did what, newest first. Only owners see it. */
export function auditPages({ reads }: { readonly reads: Database }): Page[] {
  return [
    {
      method: 'GET',
      path: '/audit',
      role: 'owner',
      answer: async ({ account, query, link }) => {
        const cursor = query.get('before') ?? '';
        const before = EVENT_ID.test(cursor) ? cursor : undefined;
        const events = await listAudit(reads, { accountId: account.id, before, limit: PAGE_EVENTS + 1 });
        const shown = events.slice(0, PAGE_EVENTS);
        const next = events.length > PAGE_EVENTS ? shown.at(-1)?.id : undefined;
        return page('Audit', auditView({ link, events: shown, isFirst: before === undefined, next }));
      },
    },
  ];
}
