import { deliveryCommands } from '@artist-watch/delivery/store/commands';
import { deliveryReads, waitForAttempt } from '@artist-watch/delivery/store/reads';
import { PLANS } from '@artist-watch/domain/account/plans';
import { isDetectedChangeType } from '@artist-watch/domain/change/change-types';
import { Conflict } from '@artist-watch/domain/refusals';
import { destinationCommands } from '@artist-watch/persistence/destination/commands';
import { type DestinationRecord, readDestination, readDestinations } from '@artist-watch/persistence/destination/reads';
import { newId } from '@artist-watch/runtime/ids';
import { typedId } from '../../application/fields.js';
import type { MemberAccess, Page, Reply, Visit } from '../../application/page.js';
import { actOrExplain, get, page, post, redirect } from '../../application/page.js';
import { destinationTitle } from '../../views/text.js';
import type { PageParts } from '../parts.js';
import { destinationView } from './detail-view.js';
import { destinationsView } from './list-view.js';
import { type FormProblem, readDestinationPage, referenceOf } from './query.js';
import { secretView } from './secret-view.js';
import { TestResultBox } from './test-view.js';
import { writePages } from './write-handler.js';

/** Most receivers respond within this time. For slower ones, the page shows that the test is in progress. */
const TEST_WAIT_MS = 3_000;

/** Longer than all of a delivery's attempts combined (8 h 36 min, docs/api/webhooks.md). */
const ROUND_MS = 9 * 3_600_000;

export function destinationsPages(parts: PageParts): Page[] {
  return [
    get('/destinations', 'member', (visit) => showList(parts, visit)),
    ...writePages(parts),
    get('/destinations/:destination', 'member', (visit) => showOne(parts, visit)),
    ...actionPages(parts),
  ];
}

async function showList({ reads, switchOffAfter }: PageParts, { account, link }: Visit): Promise<Reply> {
  const { plan } = account;
  const destinations = await readDestinations(reads, account.id);
  const limit = PLANS[plan].destinations + PLANS[plan].chatDestinations;
  return page('Channels', destinationsView({ link, plan, destinations, switchOffAfter, hasPlan: limit > 0 }));
}

async function showOne({ reads, switchOffAfter }: PageParts, visit: Visit, problem?: FormProblem): Promise<Reply> {
  const { link, member, query, fragment, now } = visit;
  const testId = typedId('dlv', query.get('test'));
  const found = await readDestinationPage(reads, referenceOf(visit), testId, now);
  const { id: destinationId } = found.destination;
  if (fragment === 'test-result') {
    return { kind: 'fragment', body: TestResultBox({ link, destinationId, test: found.test }) };
  }
  const isOwner = member.role === 'owner';
  const view = destinationView({ link, switchOffAfter, isOwner, problem, ...found });
  return page(destinationTitle(found.destination), view, problem?.status);
}

/** All of these actions can safely be repeated. */
function actionPages(parts: PageParts): Page[] {
  const { reads, writes, box, limits, stopping, receivers } = parts;
  const show = (visit: Visit, problem: FormProblem) => showOne(parts, visit, problem);
  const destinations = destinationCommands(writes, box);
  type Work = (visit: Visit, reference: ReturnType<typeof destinationAndActor>) => Promise<Reply>;
  const act = (path: string, access: MemberAccess, work: Work) =>
    post<Visit>(`/destinations/:destination/${path}`, access, (visit) =>
      actOrExplain(visit, show, () => work(visit, destinationAndActor(visit))),
    );
  return [
    act('test', 'member', async ({ account, form, now }, reference) => {
      // Make sure that the destination belongs to this account before counting toward its limit.
      await readDestination(reads.pool, reference);
      await limits.count('test', reference.id);
      const type = form.get('change_type') ?? '';
      const deliveryId = newId('dlv', now);
      await deliveryCommands(writes).test(reference, {
        ...{ deliveryId, changeId: newId('chg', now), now },
        changeType: isDetectedChangeType(type) ? type : undefined,
      });
      await waitForAttempt(deliveryReads(reads), { id: deliveryId, accountId: account.id }, TEST_WAIT_MS, stopping);
      return redirect(`/destinations/${reference.id}?test=${deliveryId}#test`);
    }),
    act('enable', 'member', async ({ now }, reference) => {
      const before = await readDestination(reads.pool, reference);
      await destinations.enable(reference, now);
      const since = missedSince(before);
      if (!since) return redirect(`/destinations/${reference.id}`, 'Channel enabled.');
      const query = new URLSearchParams({ destination: reference.id, since: `${since.toISOString().slice(0, 19)}Z` });
      return redirect(
        `/deliveries/recover?${query}`,
        'Channel enabled. New changes will be sent to it. You can send missed changes below.',
      );
    }),
    act('disable', 'member', async ({ now }, reference) => {
      await destinations.disable(reference, now);
      return redirect(`/destinations/${reference.id}`, 'Channel disabled. Nothing is sent to it.');
    }),
    act('delete', 'owner with code', async (visit, reference) => {
      const { name, url } = await readDestination(reads.pool, reference);
      if ((visit.form.get('name') ?? '').trim() !== (name ?? url)) {
        return show(visit, { text: `Type “${name ?? url}”.`, status: 400, isName: true });
      }
      await destinations.delete(reference, visit.now);
      return redirect('/destinations', `${name ?? url} deleted.`);
    }),
    // The next secret is shown only in this response.
    act('rotate', 'owner with code', async ({ form, now, link }, reference) => {
      const replaces = form.get('replaces') ?? '';
      if (replaces !== '') await requireNewest(reference, replaces);
      const destination = await destinations.rotate(reference, { replace: replaces !== '', now });
      const view = { link, destination, secret: destination.nextSecret, isNext: true, receivers };
      return page('New signing secret', secretView(view));
    }),
    act('activate', 'owner with code', async ({ now }, reference) => {
      await destinations.activate(reference, now);
      return redirect(`/destinations/${reference.id}#secret`, 'New secret activated.');
    }),
  ];

  /**
   * If a form is submitted twice, the second time must not discard the secret created the first time. @throws Conflict
   */
  async function requireNewest(reference: ReturnType<typeof destinationAndActor>, noticeId: string): Promise<void> {
    const { notices } = await readDestination(reads.pool, reference);
    if (notices.find(({ kind }) => kind === 'secret_rotated')?.id === noticeId) return;
    throw new Conflict('Another new secret was created after you opened this page.');
  }
}

function destinationAndActor(visit: Visit) {
  return { ...referenceOf(visit), by: visit.actor };
}

/** Returns a time before the first missed change, or undefined if the channel wasn't switched off. */
function missedSince({ state, switchedOffAt, notices }: DestinationRecord): Date | undefined {
  if (state === 'active' || !switchedOffAt) return undefined;
  const enabledAt = notices.find(({ kind }) => kind === 'enabled')?.at.getTime() ?? 0;
  const warned = notices.filter(({ kind, at }) => kind === 'warning' && at.getTime() > enabledAt);
  const first = Math.min(switchedOffAt.getTime(), ...warned.map(({ at }) => at.getTime()));
  return new Date(first - ROUND_MS);
}
