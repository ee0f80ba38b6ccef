import { rulesFrom } from '@artist-watch/contracts/api/destination-input';
import { deliveryCommands } from '@artist-watch/delivery/store/commands';
import { deliveryReads, waitForAttempt } from '@artist-watch/delivery/store/reads';
import { PLANS } from '@artist-watch/domain/account/plans';
import { isDetectedChangeType } from '@artist-watch/domain/change/change-types';
import { destinationLimit, isChat } from '@artist-watch/domain/channel/destination-kind';
import { Conflict } from '@artist-watch/domain/refusals';
import { groupStore } from '@artist-watch/persistence/account/groups';
import { artistNames } from '@artist-watch/persistence/artist/artist-reads';
import { destinationCommands } from '@artist-watch/persistence/destination/commands';
import {
  type DestinationRecord,
  previewRules,
  readDestination,
  readDestinations,
} from '@artist-watch/persistence/destination/reads';
import { newId } from '@artist-watch/runtime/ids';
import { draftedId, reusedDraft, TOO_OLD, typedId } from '../../application/fields.js';
import {
  actOrExplain,
  get,
  ifFound,
  type MemberAccess,
  type Page,
  type PageProblem,
  page,
  post,
  type Reply,
  redirect,
  statusOf,
  type Visit,
} from '../../application/page.js';
import { destinationTitle } from '../../views/text.js';
import type { PageParts } from '../parts.js';
import { destinationView, TestResultBox } from './detail-view.js';
import { type DestinationField, destinationFormView, RulesPreview, type TypedDestination } from './form-view.js';
import { destinationsView } from './list-view.js';
import { type FormProblem, readDestinationPage, referenceOf } from './query.js';
import { EMPTY, readChanged, readNew, readRules, typedDestination, typedFrom } from './rules-form.js';
import { secretView } from './secret-view.js';

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
      const changeType = isDetectedChangeType(type) ? type : undefined;
      const deliveryId = newId('dlv', now);
      await deliveryCommands(writes).test(reference, { deliveryId, changeId: newId('chg', now), now, changeType });
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

const NEW = 'New channel';

interface ShownForm {
  readonly typed: TypedDestination;
  readonly destination?: DestinationRecord | undefined;
  readonly errors?: Partial<Record<DestinationField, string>>;
  readonly problem?: PageProblem | undefined;
}

/** When a destination is created, the response shows its secret, which is never shown again. */
function writePages({ reads, writes, box, allowCidrs, receivers }: PageParts): Page[] {
  const destinations = destinationCommands(writes, box, allowCidrs);
  const preview = ({ account, now }: Visit, typed: TypedDestination) =>
    previewRules(reads, account.id, readRules(typed), now);

  const show = async (visit: Visit, { typed, destination, errors = {}, problem }: ShownForm): Promise<Reply> => {
    const { account, link } = visit;
    const [artists, groups, previewed] = await Promise.all([
      artistNames(reads, account.id),
      groupStore(reads).list(account.id),
      preview(visit, typed),
    ]);
    const draft = destination ? undefined : reusedDraft(visit);
    const choices = { account, artists, groups, preview: previewed };
    const view = { link, destination, draft, typed, errors, problem: problem?.text, ...choices };
    const status = problem?.status ?? statusOf(errors);
    return page(destination ? 'Edit channel' : NEW, destinationFormView(view), status);
  };
  const showTyped = async (visit: Visit, problem?: PageProblem): Promise<Reply> => {
    const destination = visit.params.destination ? await readDestination(reads.pool, referenceOf(visit)) : undefined;
    const typed = typedDestination(visit.form);
    if (problem?.field === 'url') return show(visit, { typed, destination, errors: { url: problem.text } });
    if (visit.fragment !== 'rules-preview') return show(visit, { typed, destination, problem });
    return { kind: 'fragment', body: RulesPreview({ preview: await preview(visit, typed) }) };
  };

  const create = async (visit: Visit): Promise<Reply> => {
    const { account, actor: by, form, now, link } = visit;
    const typed = typedDestination(form);
    const id = draftedId('dst', visit);
    if (!id) return show(visit, { typed, problem: TOO_OLD });
    if (await ifFound(readDestination(reads.pool, { id, accountId: account.id }))) return madeBefore(id);
    const read = readNew(typed);
    if (!read.ok) return show(visit, { typed, errors: read.errors });
    const { name = null, kind, url, secret: wanted, rules } = read.value;
    const request = { id, accountId: account.id, name, kind, url, secret: wanted, rules: rulesFrom(rules), by, now };
    const destination = await destinations.create(request);
    const { secret } = destination;
    // If the same form was submitted twice, the other request has already created the destination.
    if (destination.createdAt.getTime() !== now.getTime()) return madeBefore(id);
    if (secret === null) return redirect(`/destinations/${id}`, 'Channel created. Send a test next.');
    return page('Signing secret', secretView({ link, destination, secret, isNext: false, receivers }));
  };

  const change = async (visit: Visit): Promise<Reply> => {
    const { actor: by, form, now } = visit;
    const reference = { ...referenceOf(visit), by };
    const typed = typedDestination(form);
    const destination = await readDestination(reads.pool, reference);
    const read = readChanged(typed);
    if (!read.ok) return show(visit, { typed, destination, errors: read.errors });
    const { name = null, url, rules } = read.value;
    const isNewUrl = url !== undefined && url !== destination.url;
    const wanted = { ...(name !== destination.name && { name }), ...(isNewUrl && { url }), rules: rulesFrom(rules) };
    await destinations.update(reference, wanted, now);
    const hadSecret = isNewUrl && !isChat(destination.kind) && destination.signed;
    const offer = ' The old receiver still knows the signing secret. Create a new one below.';
    return redirect(`/destinations/${reference.id}`, `Changes saved.${hadSecret ? offer : ''}`);
  };

  const explained = (work: (visit: Visit) => Promise<Reply>) => (visit: Visit) =>
    actOrExplain(visit, showTyped, () => work(visit));

  return [
    get('/destinations/new', 'member with code', async (visit) => {
      const { plan } = visit.account;
      const kind = (['webhook', 'slack'] as const).find((each) => destinationLimit(each, PLANS[plan]) > 0);
      // If the plan includes no channels, the Channels page shows which plan does.
      if (!kind) return redirect('/destinations');
      await visit.begin(NEW);
      return show(visit, { typed: { ...EMPTY, kind } });
    }),
    post('/destinations/new', 'member with code', explained(create), 'artists'),
    post('/destinations/preview', 'member', (visit) => showTyped(visit), 'artists'),
    get('/destinations/:destination/edit', 'member', async (visit) => {
      const destination = await readDestination(reads.pool, referenceOf(visit));
      return show(visit, { typed: typedFrom(destination), destination });
    }),
    post('/destinations/:destination/edit', 'member', explained(change), 'artists'),
    post('/destinations/:destination/preview', 'member', (visit) => showTyped(visit), 'artists'),
  ];
}

function madeBefore(id: string): Reply {
  return redirect(`/destinations/${id}`, 'You already created this channel. Signing secrets are shown only once.');
}
