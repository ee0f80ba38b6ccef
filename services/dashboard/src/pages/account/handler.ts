import type { MemberRole } from '@artist-watch/domain/account/actor';
import { KEY_SCOPES, type KeyScope } from '@artist-watch/domain/account/credentials';
import { artistsUsed, PLANS } from '@artist-watch/domain/account/plans';
import type { ApiKeyId } from '@artist-watch/domain/ids';
import { Conflict, NotFound, PlanLimitReached } from '@artist-watch/domain/refusals';
import { apiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import { listAudit } from '@artist-watch/persistence/account/audit';
import { memberStore } from '@artist-watch/persistence/account/members';
import { readUsage, readUsageHistory } from '@artist-watch/persistence/account/usage-store';
import { mailPreferenceStore } from '@artist-watch/persistence/mail/outbox';
import { newId } from '@artist-watch/runtime/ids';
import {
  draftedId,
  isEmailAddress,
  pageOfList,
  pagesOf,
  reusedDraft,
  TOO_OLD,
  typedId,
  typedLine,
} from '../../application/fields.js';
import {
  actOrExplain,
  get,
  type Page,
  type PageProblem,
  page,
  post,
  type Reply,
  redirect,
  statusOf,
  type Visit,
} from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { AUDIT_SUBJECTS, auditView } from './audit-view.js';
import { createdView, type KeyDraft, keysView } from './keys-view.js';
import { membersView } from './members-view.js';
import { CHOICES, usageView } from './usage-view.js';

/** Serves the pages about an account's usage, API keys, members and audit log. */
export function accountPages(parts: PageParts): Page[] {
  return [usagePages, keysPages, membersPages, auditPages].flatMap((pages) => pages(parts));
}

const PAGE_KEYS = 50;
/** The same limit as in the CLI's `key issue` command. */
const MAX_NAME_CHARS = 200;

const SCOPES: Readonly<Record<KeyDraft['scopes'], readonly KeyScope[]>> = { read: ['read'], manage: KEY_SCOPES };

const DAYS = ['30', '90', '365'] as const;

/** Owners can create and revoke API keys. A key is shown in full only once, right after it is created. */
function keysPages({ reads, writes }: PageParts): Page[] {
  const show = async (visit: Visit, refused?: { draft: KeyDraft; text: string; status: number }): Promise<Reply> => {
    const revoked = visit.query.get('show') === 'revoked';
    const before = typedId('key', visit.query.get('before'));
    const request = { accountId: visit.account.id, revoked, before, limit: PAGE_KEYS + 1 };
    const read = await apiKeyIssuer(reads).page(request);
    const { shown: keys, next } = pageOfList(read, PAGE_KEYS);
    const pages = pagesOf(visit.link('/keys'), { show: revoked ? 'revoked' : undefined }, ['before', before, next]);
    const isOwner = visit.member.role === 'owner';
    const limit = PLANS[visit.account.plan].keys;
    const valid = keys.filter(({ expiresAt }) => !expiresAt || expiresAt > visit.now).length;
    const { link } = visit;
    const view = { link, keys, valid, isOwner, revoked, limit, refused, draft: reusedDraft(visit), ...pages };
    return page('API keys', keysView(view), refused?.status);
  };
  return [
    get('/keys', 'member', (visit) => show(visit)),
    post('/keys/create', 'owner with code', async (visit) => {
      const { account, actor: by, now, link } = visit;
      const draft = draftOf(visit.form);
      const id = draftedId('key', visit);
      if (!id) return show(visit, { draft, ...TOO_OLD });
      if (draft.name === '' || [...draft.name].length > MAX_NAME_CHARS) {
        return show(visit, { draft, text: `Enter a name of 1 to ${MAX_NAME_CHARS} characters.`, status: 400 });
      }
      try {
        const expiresAt = draft.days === '' ? null : new Date(now.getTime() + Number(draft.days) * DAY_MS);
        const request = {
          id,
          accountId: account.id,
          by,
          now,
          name: draft.name,
          scopes: SCOPES[draft.scopes],
          expiresAt,
        };
        const { key } = await apiKeyIssuer(writes).issue(request);
        return page('API key created', createdView({ link, name: draft.name, key }), 201);
      } catch (error) {
        if (error instanceof Conflict) return redirect('/keys', error.message);
        if (!(error instanceof PlanLimitReached)) throw error;
        return show(visit, { draft, text: `${error.message} Revoke one first.`, status: 403 });
      }
    }),
    post('/keys/:key/revoke', 'owner with code', async ({ account, actor: by, params, now }) => {
      const id = params.key as ApiKeyId;
      const { hint } = await apiKeyIssuer(writes).revoke({ id, accountId: account.id, by, now });
      return redirect('/keys', `API key ${hint}… revoked. It stops working within a second.`);
    }),
  ];
}

const DAY_MS = 86_400_000;

function draftOf(form: URLSearchParams): KeyDraft {
  return {
    name: (form.get('name') ?? '').replaceAll('\0', '').trim(),
    scopes: form.get('scopes') === 'manage' ? 'manage' : 'read',
    days: DAYS.find((days) => days === form.get('days')) ?? '',
  };
}

function membersPages({ reads, writes, onMailWritten }: PageParts): Page[] {
  const members = memberStore(writes);
  const show = async (visit: Visit, problem?: PageProblem): Promise<Reply> => {
    const { account, member: you, form, link } = visit;
    const [rows, refused] = await Promise.all([
      memberStore(reads).list(account.id),
      // Members whose last email was rejected by the mail server, whether permanently or temporarily.
      mailPreferenceStore(reads).refusals(account.id),
    ]);
    const { seats } = PLANS[account.plan];
    const email = problem && (form.get('email') ?? '').trim();
    const view = { link, you, members: rows, refused, seats, problem: problem?.text, email };
    return page('Members', membersView(view), problem?.status);
  };
  const act = (visit: Visit, notice: string, work: () => Promise<unknown>) =>
    actOrExplain(visit, show, async () => {
      await work();
      return redirect('/members', notice);
    });
  return [
    get('/members', 'member', (visit) => show(visit)),
    post('/members/invite', 'owner with code', async (visit) => {
      const { account, actor: by, form, now } = visit;
      const email = (form.get('email') ?? '').trim();
      if (!isEmailAddress(email)) {
        return show(visit, { text: 'Enter an email address, such as ann@label.example.', status: 400 });
      }
      return act(visit, `Invitation sent to ${email}.`, async () => {
        await members.add({ id: newId('mem', now), accountId: account.id, email, role: roleOf(form), by, now });
        onMailWritten();
      });
    }),
    post('/members/:member/role', 'owner with code', async (visit) => {
      const { account, actor: by, form, now } = visit;
      const { email } = await findMember(visit);
      const role = roleOf(form);
      const notice = role === 'owner' ? `${email} is now an owner.` : `${email} is now a member.`;
      return act(visit, notice, () => members.setRole({ accountId: account.id, email, role, by, now }));
    }),
    post('/members/:member/remove', 'owner with code', async (visit) => {
      const { account, actor: by, now } = visit;
      const { email } = await findMember(visit);
      return act(visit, `${email} removed.`, () => members.remove({ accountId: account.id, email, by, now }));
    }),
  ];

  async function findMember({ account, params }: Visit) {
    const found = (await memberStore(reads).list(account.id)).find(({ id }) => id === params.member);
    if (!found) throw new NotFound('member');
    return found;
  }
}

function roleOf(form: URLSearchParams): MemberRole {
  return form.get('role') === 'owner' ? 'owner' : 'member';
}

const PAGE_EVENTS = 50;
const MAX_CHARS = 200;

function auditPages({ reads }: PageParts): Page[] {
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

const DEFAULT_DAYS = 30;

function usagePages({ reads }: PageParts): Page[] {
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
