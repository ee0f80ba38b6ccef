import { listAudit } from '@artist-watch/persistence/account/audit';
import { get, type Page, page, statusOf } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { AUDIT_SUBJECTS, auditView } from './view.js';

const PAGE_EVENTS = 50;
const EVENT_ID = /^aud_[0-9a-f]{32}$/;
const MAX_CHARS = 200;

/** `/audit`: who did what, newest first. Only owners see it. */
export function auditPages({ reads }: PageParts): Page[] {
  return [
    get('/audit', 'owner', async ({ account, query, link }) => {
      const cursor = query.get('before') ?? '';
      const before = EVENT_ID.test(cursor) ? cursor : undefined;
      const who = [...(query.get('who') ?? '').replace(/[\p{Cc}\s]+/gu, ' ').trim()].slice(0, MAX_CHARS).join('');
      const typed = query.get('of') ?? '';
      const isKnown = AUDIT_SUBJECTS.some(({ value }) => value === typed);
      const of = isKnown ? typed : '';
      const errors = isKnown ? {} : { of: 'is not one of these' };
      const request = { accountId: account.id, before, of, who, limit: PAGE_EVENTS + 1 };
      const events = await listAudit(reads, request);
      const shown = events.slice(0, PAGE_EVENTS);
      const next = events.length > PAGE_EVENTS ? shown.at(-1)?.id : undefined;
      const view = { link, events: shown, filter: { of, who }, errors, isFirst: before === undefined, next };
      return page('Audit', auditView(view), statusOf(errors));
    }),
  ];
}
