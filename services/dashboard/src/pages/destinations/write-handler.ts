import { rulesFrom } from '@artist-watch/contracts/api/destination-input';
import { PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import { destinationLimit, isChat } from '@artist-watch/domain/channel/destination-kind';
import { groupStore } from '@artist-watch/persistence/account/groups';
import { artistNames } from '@artist-watch/persistence/artist/artist-reads';
import { destinationCommands } from '@artist-watch/persistence/destination/commands';
import { type DestinationRecord, readDestination } from '@artist-watch/persistence/destination/reads';
import { previewRules } from '@artist-watch/persistence/destination/rules-preview';
import { draftedId, reusedDraft, TOO_OLD } from '../../application/fields.js';
import type { Page, PageProblem, Reply, Visit } from '../../application/page.js';
import { actOrExplain, get, ifFound, page, post, redirect, statusOf } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { type DestinationField, destinationFormView, RulesPreview, type TypedDestination } from './form-view.js';
import { referenceOf } from './query.js';
import { EMPTY, readChanged, readNew, readRules, typedDestination, typedFrom } from './rules-form.js';
import { secretView } from './secret-view.js';

const NEW = 'New channel';

interface ShownForm {
  readonly typed: TypedDestination;
  readonly destination?: DestinationRecord | undefined;
  readonly errors?: Partial<Record<DestinationField, string>>;
  readonly problem?: PageProblem | undefined;
}

/** When a destination is created, the response shows its secret, which is never shown again. */
export function writePages({ reads, writes, box, allowCidrs, receivers }: PageParts): Page[] {
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
    await destinations.update(
      reference,
      {
        ...(name !== destination.name && { name }),
        ...(isNewUrl && { url }),
        rules: rulesFrom(rules),
      },
      now,
    );
    const hadSecret = isNewUrl && !isChat(destination.kind) && destination.signed;
    const offer = ' The old receiver still knows the signing secret. Create a new one below.';
    return redirect(`/destinations/${reference.id}`, `Changes saved.${hadSecret ? offer : ''}`);
  };

  return [
    get('/destinations/new', 'member with code', async (visit) => {
      const kind = kindOf(visit.account.plan);
      // If the plan includes no channels, the Channels page shows which plan does.
      if (!kind) return redirect('/destinations');
      await visit.begin(NEW);
      return show(visit, { typed: { ...EMPTY, kind } });
    }),
    post(
      '/destinations/new',
      'member with code',
      (visit) => actOrExplain(visit, showTyped, () => create(visit)),
      'artists',
    ),
    post('/destinations/preview', 'member', (visit) => showTyped(visit), 'artists'),
    get('/destinations/:destination/edit', 'member', async (visit) => {
      const destination = await readDestination(reads.pool, referenceOf(visit));
      return show(visit, { typed: typedFrom(destination), destination });
    }),
    post(
      '/destinations/:destination/edit',
      'member',
      (visit) => actOrExplain(visit, showTyped, () => change(visit)),
      'artists',
    ),
    post('/destinations/:destination/preview', 'member', (visit) => showTyped(visit), 'artists'),
  ];
}

function kindOf(plan: PlanName): 'webhook' | 'slack' | undefined {
  return (['webhook', 'slack'] as const).find((kind) => destinationLimit(kind, PLANS[plan]) > 0);
}

function madeBefore(id: string): Reply {
  return redirect(`/destinations/${id}`, 'You already created this channel. Signing secrets are shown only once.');
}
