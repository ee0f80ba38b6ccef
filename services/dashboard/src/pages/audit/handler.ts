import { listAudit } from '@artist-watch/persistence/account/audit';
import { pagesOf, typedId, typedLine } from '../../application/fields.js';
import { get, type Page, page, statusOf } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { AUDIT_SUBJECTS, auditView } from './view.js';

const PAGE_EVENTS = 50;
const MAX_CHARS = 200;

export function auditPages({ reads }: PageParts): Page[] {
  return [
    get('/audit', 'owner', async ({ account, query, link }) => {
      const before = typedId('aud', query.get('before'));
      const who = typedLine(query.get('who'), MAX_CHARS);
      const typed = query.get('of') ?? '';
      const isKnown = Object.hasOwn(AUDIT_SUBJECTS, typed);
      const of = isKnown ? typed : '';
      const errors = isKnown ? {} : { of: 'must be a subject from the list' };
      const { events, next } = await listAudit(reads, { accountId: account.id, before, of, who, limit: PAGE_EVENTS });
      const filter = { of, who };
      const pages = pagesOf(link('/audit'), filter, ['before', before, next]);
      const view = { link, events, filter, errors, ...pages };
      return page('Audit', auditView(view), statusOf(errors));
    }),
  ];
}
