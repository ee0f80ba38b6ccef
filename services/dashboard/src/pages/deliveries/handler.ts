import { deliveryCommands } from '@artist-watch/delivery/store/commands';
import { type DeliveryDetail, deliveryReads } from '@artist-watch/delivery/store/reads';
import type { Database } from '@artist-watch/persistence/database/database';
import { addressOf, idOfPath, pagesOf, typedId } from '../../application/fields.js';
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
import { titleWithoutChange } from '../../views/table.js';
import { numberText } from '../../views/text.js';
import type { PageParts } from '../parts.js';
import { deliveryView } from './detail-view.js';
import { deliveriesView, LIVE, listView, recoverView } from './list-view.js';
import { readDeliveries, readDelivery, readFilter, readMissed } from './query.js';

export function deliveriesPages(parts: PageParts): Page[] {
  const { reads } = parts;
  return [
    get('/deliveries', 'member', (visit) => showList(reads, visit)),
    get('/deliveries/recover', 'member', (visit) => showMissed(reads, visit, visit.query)),
    post('/deliveries/recover', 'member', (visit) => recover(parts, visit)),
    get('/deliveries/:delivery', 'member', (visit) => showOne(parts, visit)),
    post('/deliveries/:delivery/resend', 'member', (visit) => resend(parts, visit)),
  ];
}

async function showList(reads: Database, { account, query, link, begin, fragment }: Visit): Promise<Reply> {
  const { typed, filter, errors } = readFilter(query);
  const beforeId = typedId('dlv', query.get('before'));
  const status = statusOf(errors);
  if (status === 200) await begin('Deliveries');
  const { next, ...found } = await readDeliveries(reads, account.id, { filter, beforeId });
  const pages = pagesOf(link('/deliveries'), typed, ['before', beforeId, next]);
  const from = addressOf(link('/deliveries'), { ...typed, before: beforeId });
  const view = { link, plan: account.plan, typed, errors, from, ...found, ...pages };
  if (fragment === LIVE) return { kind: 'fragment', body: listView(view) };
  return page('Deliveries', deliveriesView(view), status);
}

/**
 * The form includes the end of the time range and the number of deliveries, so that submitting it sends exactly the
 * deliveries shown.
 */
async function showMissed(
  reads: Database,
  visit: Visit,
  asked: URLSearchParams,
  problem?: PageProblem,
): Promise<Reply> {
  const { account, link, now } = visit;
  const { typed, filter, errors } = readFilter(asked);
  const until = filter.until ?? now;
  const beforeId = typedId('dlv', asked.get('before'));
  const status = problem?.status ?? statusOf(errors);
  if (status === 200) await visit.begin('Send missed changes');
  const { next, ...found } = await readMissed(reads, account.id, { filter: { ...filter, until }, beforeId });
  const fields = { ...typed, until: until.toISOString(), expected: String(found.count) };
  const pages = pagesOf(link('/deliveries/recover'), typed, ['before', beforeId, next]);
  const view = { link, typed, errors, fields, problem: problem?.text, ...found, ...pages };
  return page('Send missed changes', recoverView(view), status);
}

async function recover({ reads, writes }: PageParts, visit: Visit): Promise<Reply> {
  const { account, actor: by, form, now } = visit;
  const { filter, errors } = readFilter(form);
  if (statusOf(errors) !== 200) return showMissed(reads, visit, form);
  const show = (_: Visit, problem: PageProblem) => showMissed(reads, visit, form, problem);
  return actOrExplain(visit, show, async () => {
    const { count } = await deliveryReads(reads).previewMatchingRecovery(account.id, filter);
    if (String(count) !== form.get('expected')) {
      form.delete('until');
      const text = 'The list has changed since you opened this page. This is the current list.';
      return show(visit, { text, status: 409 });
    }
    const { recovered, remaining } = await deliveryCommands(writes).recoverMatching(account.id, { filter, by, now });
    const some = recovered === 1 ? '1 missed change is' : `${numberText(recovered)} missed changes are`;
    const to = filter.destinationId ? `&destination=${filter.destinationId}` : '';
    return redirect(
      `/deliveries?trigger=recover${to}`,
      `${some} being sent.${remaining > 0 ? ` ${numberText(remaining)} remain. Send them in another step.` : ''}`,
    );
  });
}

async function showOne({ reads, dashboardUrl }: PageParts, visit: Visit, problem?: PageProblem): Promise<Reply> {
  const { account, params, link, fragment } = visit;
  const reference = { id: idOfPath('dlv', 'delivery', params.delivery), accountId: account.id };
  const found = await readDelivery(reads, reference, dashboardUrl);
  const body = deliveryView({ link, problem: problem?.text, ...found });
  return fragment === 'delivery' ? { kind: 'fragment', body } : page(titleOf(found.delivery), body, problem?.status);
}

/** Includes the change, so that browser tabs are easy to distinguish. */
function titleOf({ change, trigger }: DeliveryDetail): string {
  return `Delivery: ${change?.summary ?? titleWithoutChange(trigger)}`;
}

async function resend(parts: PageParts, visit: Visit): Promise<Reply> {
  const { reads, writes, limits } = parts;
  const { account, actor: by, params, now } = visit;
  const reference = { id: idOfPath('dlv', 'delivery', params.delivery), accountId: account.id };
  const show = (_: Visit, problem: PageProblem) => showOne(parts, visit, problem);
  return actOrExplain(visit, show, async () => {
    await limits.count('resend', (await deliveryReads(reads).show(reference)).destinationId);
    await deliveryCommands(writes).resend({ ...reference, by }, now);
    return redirect(`/deliveries/${reference.id}`, 'The delivery is being sent again.');
  });
}
