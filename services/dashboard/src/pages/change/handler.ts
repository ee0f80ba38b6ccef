import { randomBytes } from 'node:crypto';
import { concernsDistributor, distributorText } from '@artist-watch/domain/change/distributor-text';
import type { ChangeShareId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import { changeShareStore } from '@artist-watch/persistence/change/change-shares';
import { Gates } from '@artist-watch/runtime/gate';
import { draftedId, idOfPath, newDraft, sha256 } from '../../application/fields.js';
import {
  actOrExplain,
  type Guest,
  type GuestPage,
  get,
  ifFound,
  type Page,
  type PageProblem,
  page,
  post,
  type Reply,
  redirect,
  type Visit,
} from '../../application/page.js';
import { MessagePage } from '../../views/states.js';
import type { PageParts } from '../parts.js';
import { readChange, readPicture, readShownChange, readShownPictures } from './query.js';
import { changeView, createdShareView, sharedChangeView } from './view.js';

/** Share links don't require signing in, because their 256 random bits cannot be guessed. */
const SHARE_TOKEN_BYTES = 32;
const SHARE_TOKEN = /^[\w-]{43}$/;
/** Even a popular share link must leave some database connections for members. */
const SHARED_READS = { maxRunning: 2, maxWaiting: 100, maxWaitMs: 3_000 };

export function changePages({ reads, writes, origin }: PageParts): Page[] {
  const show = async (visit: Visit, problem?: string): Promise<Reply> => {
    const shown = await readChange(reads, visit, idOf(visit));
    const { change, platformName, platformUrl } = shown;
    const { account, zone, now } = visit;
    const sender = { name: account.name, zone };
    const text = concernsDistributor(change)
      ? distributorText([change], platformName, [platformUrl], sender)
      : undefined;
    const view = { ...visit, plan: account.plan, ...shown, text, problem, draft: newDraft(now) };
    return page(change.summary, changeView(view), problem === undefined ? 200 : 409);
  };
  const changeOf = async (visit: Visit) => {
    const { account, now } = visit;
    return (await readShownChange(reads, { accountId: account.id, plan: account.plan, id: idOf(visit) }, now)).change;
  };
  const shareOf = async (visit: Visit) => {
    const { account, actor: by, now } = visit;
    const { summary } = await changeOf(visit);
    return { accountId: account.id, change: { id: idOf(visit), summary }, by, now };
  };
  return [
    get('/changes/:change', 'member', (visit) => show(visit)),
    get('/changes/:change/pictures/:side', 'member', async (visit) =>
      readPicture(reads, await changeOf(visit), visit.params.side),
    ),
    post('/changes/:change/share', 'member with code', async (visit) => {
      const share = await shareOf(visit);
      const id = draftedId('shr', visit);
      if (!id) return show(visit, 'This page has expired. Create the share link again.');
      const token = randomBytes(SHARE_TOKEN_BYTES).toString('base64url');
      const showProblem = (_: Visit, { text }: PageProblem) => show(visit, text);
      return actOrExplain(visit, showProblem, async () => {
        await changeShareStore(writes).create({ ...share, id, tokenSha256: sha256(token) });
        const view = { link: visit.link, change: share.change, url: `${origin}/share/${token}` };
        return page('Share link created', createdShareView(view), 201);
      });
    }),
    post('/changes/:change/shares/:share/revoke', 'member', async (visit) => {
      const share = await shareOf(visit);
      await changeShareStore(writes).revoke({ ...share, id: visit.params.share as ChangeShareId });
      return redirect(`/changes/${share.change.id}`, 'Share link revoked. It no longer works.');
    }),
  ];
}

const DEAD = {
  title: 'This link no longer works',
  children: 'It has expired or was revoked. Ask the sender for a new one.',
};

/** Serves `/share/:token`, which shows a change to anyone who has the link, but nothing else about the account. */
export function sharePages({ reads, shares }: PageParts): GuestPage[] {
  const ofAccounts = new Gates(SHARED_READS);
  const read = async ({ params, now }: Guest) => {
    const { token = '' } = params;
    const shared = SHARE_TOKEN.test(token) ? await shares.findHolder(token) : undefined;
    if (!shared) throw new NotFound('share link');
    const { accountId, accountName, plan, changeId: id, expiresAt } = shared;
    const shown = await ofAccounts.run(accountId, () => readShownChange(reads, { accountId, plan, id }, now));
    return { ...shown, accountName, expiresAt };
  };
  return [
    get('/share/:token', 'anybody', async (guest) => {
      const shown = await ifFound(read(guest));
      if (!shown) return page(DEAD.title, MessagePage(DEAD), 404);
      const pictures = await readShownPictures(reads, shown.change, (path) => `/share/${guest.params.token}${path}`);
      return page(shown.change.summary, sharedChangeView({ ...shown, pictures }));
    }),
    get('/share/:token/pictures/:side', 'anybody', async (guest) =>
      readPicture(reads, (await read(guest)).change, guest.params.side),
    ),
  ];
}

function idOf({ params }: Visit) {
  return idOfPath('chg', 'change', params.change);
}
