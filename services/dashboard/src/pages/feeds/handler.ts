import { ATOM_TYPE, atomFeed, FEED_CHANGES } from '@artist-watch/contracts/api/account';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { MAX_OWN_NAME_CHARS, ownNameSchema } from '@artist-watch/contracts/api/fields';
import { isWellFormedFeedToken } from '@artist-watch/domain/account/credentials';
import { historyStart, PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import type { FeedTokenId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import { FixedWindows, type RateLimit, secondsToWait } from '@artist-watch/http/limit/rate-limit';
import { feedTokenStore } from '@artist-watch/persistence/account/feed-tokens';
import { groupStore } from '@artist-watch/persistence/account/groups';
import { readFeedChangesInTurn } from '@artist-watch/persistence/change/change-reads';
import {
  addressOf,
  draftedId,
  newDraft,
  positionIn,
  positionText,
  TOO_OLD,
  typedId,
} from '../../application/fields.js';
import {
  actOrExplain,
  type GuestPage,
  get,
  type Page,
  type PageProblem,
  page,
  post,
  type Reply,
  redirect,
  type Visit,
} from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { createdView, feedsView } from './view.js';

/** Minimum time between updates to a feed's stored last-used time. */
const TOUCH_EVERY_MS = 60_000;
const MAX_TOUCHED = 50_000;

/** Members can create and revoke their own feeds. Owners can revoke any feed. */
export function feedsPages({ reads, writes, origin }: PageParts): Page[] {
  const feeds = feedTokenStore(writes);
  const show = async (visit: Visit, refused?: PageProblem & { name: string }): Promise<Reply> => {
    const { account, member, link } = visit;
    const shown = (await feedTokenStore(reads).list(account.id)).map((feed) => ({
      ...feed,
      mayRevoke: member.role === 'owner' || feed.memberId === member.id,
    }));
    const groups = await groupStore(reads).list(account.id);
    const view = { link, feeds: shown, groups, refused, draft: newDraft(visit.now) };
    return page('Feeds', feedsView(view), refused?.status);
  };
  return [
    get('/feeds', 'member', (visit) => show(visit)),
    post('/feeds/create', 'member with code', async (visit) => {
      const { account, actor: by, form, now, link } = visit;
      const name = (form.get('name') ?? '').trim();
      if (!ownNameSchema.safeParse(name).success) {
        return show(visit, { name, text: `Enter a name of 1 to ${MAX_OWN_NAME_CHARS} characters.`, status: 400 });
      }
      const id = draftedId('fed', visit);
      if (!id) return show(visit, { name, ...TOO_OLD });
      const showProblem = (_: Visit, problem: PageProblem) => show(visit, { name, ...problem });
      return actOrExplain(visit, showProblem, async () => {
        const { token } = await feeds.create({ id, accountId: account.id, name, by, now });
        const address = addressOf(`${origin}/feed.atom`, { token, group: typedId('grp', form.get('group')) });
        return page('Feed created', createdView({ link, name, address }), 201);
      });
    }),
    post('/feeds/:feed/revoke', 'member', async ({ account, member, actor: by, params, now }) => {
      const memberId = member.role === 'owner' ? undefined : member.id;
      const { hint } = await feeds.revoke({ id: params.feed as FeedTokenId, accountId: account.id, by, now, memberId });
      return redirect('/feeds', `Feed ${hint}… revoked.`);
    }),
  ];
}

/** Serves `/feed.atom?token=…` for feed readers, which cannot sign in. */
export function feedPages({ reads, writes, origin, feeds, feedLimit, onTouchFailed }: PageParts): GuestPage[] {
  const uses = feedTokenStore(writes);
  const touched = new FixedWindows({ windowMs: TOUCH_EVERY_MS, maxNames: MAX_TOUCHED });
  return [
    get('/feed.atom', 'anybody', async ({ query, now }) => {
      const token = query.get('token') ?? '';
      const reader = isWellFormedFeedToken(token) ? await feeds.findHolder(token) : undefined;
      if (!reader) throw new NotFound('feed');
      const { tokenId, accountId, plan } = reader;
      await countRead(tokenId, plan, feedLimit);
      if (touched.count(tokenId, 1, now.getTime()).admitted) {
        // Don't make the response wait for this write.
        uses.touch(tokenId, now).catch(onTouchFailed);
      }
      const since = historyStart(plan, now);
      const groupId = typedId('grp', query.get('group'));
      const range = { accountId, since, after: positionIn(query), filter: { groupId } };
      const { changes, next } = await readFeedChangesInTurn(reads, range, FEED_CHANGES);
      const after = positionText(next);
      const nextPage = after && addressOf('', { token, group: groupId, after });
      const pageOf = (changeId: string) => `${origin}/a/${accountId}/changes/${changeId}`;
      const identity = JSON.stringify([accountId, groupId ? { groupId } : null]);
      const body = atomFeed({ identity, changes, pageOf, next: nextPage });
      return { kind: 'file', type: ATOM_TYPE, body };
    }),
  ];
}

/** Reading the same feed through the API counts toward the same limit. @throws ApiError `rate_limited` */
async function countRead(tokenId: FeedTokenId, plan: PlanName, feedLimit: RateLimit): Promise<void> {
  const limit = PLANS[plan].apiRequestsPerHour;
  const { admitted, resetsInMs } = await feedLimit.count(tokenId, limit);
  if (admitted) return;
  throw new ApiError('rate_limited', `On your plan, a feed can be read ${limit} times an hour.`, {
    headers: { 'Retry-After': String(secondsToWait(resetsInMs)) },
  });
}
