import { KEY_SCOPES, type KeyScope } from '@artist-watch/domain/account/api-key';
import { PLANS } from '@artist-watch/domain/account/plans';
import type { ApiKeyId } from '@artist-watch/domain/ids';
import { Conflict, PlanLimitReached } from '@artist-watch/domain/refusals';
import { apiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import { draftedId, pageOfList, pagesOf, reusedDraft, TOO_OLD, typedId } from '../../application/fields.js';
import { get, type Page, page, post, type Reply, redirect, type Visit } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { createdView, type KeyDraft, keysView } from './view.js';

const PAGE_KEYS = 50;
/** The same limit as in the CLI's `key issue` command. */
const MAX_NAME_CHARS = 200;

const SCOPES: Readonly<Record<KeyDraft['scopes'], readonly KeyScope[]>> = { read: ['read'], manage: KEY_SCOPES };

const DAYS = ['30', '90', '365'] as const;

/** Owners can create and revoke API keys. A key is shown in full only once, right after it is created. */
export function keysPages({ reads, writes }: PageParts): Page[] {
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
        const { key } = await apiKeyIssuer(writes).issue({
          ...{ id, accountId: account.id, by, now },
          ...{ name: draft.name, scopes: SCOPES[draft.scopes] },
          expiresAt: draft.days === '' ? null : new Date(now.getTime() + Number(draft.days) * DAY_MS),
        });
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
