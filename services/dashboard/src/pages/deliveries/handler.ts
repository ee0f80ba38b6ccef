import { ApiError } from '@artist-watch/contracts/api/errors';
import { deliveryIdSchema } from '@artist-watch/contracts/api/identifiers';
import { deliveryCommands } from '@artist-watch/delivery/store/commands';
import { deliveryReads } from '@artist-watch/delivery/store/reads';
import type { DeliveryId } from '@artist-watch/domain/ids';
import { Conflict, NotFound, Refusal } from '@artist-watch/domain/refusals';
import type { DestinationLimits } from '@artist-watch/http/limit/destination-limits';
import type { Database } from '@artist-watch/persistence/database/database';
import { type Begin, type Page, page, type Reply, redirect, statusOf, type Visit } from '../../application/page.js';
import { type DeliveryProps, deliveryView } from './detail-view.js';
import { readFilter } from './filter.js';
import { deliveriesView, titleWithoutChange } from './list-view.js';
import { readDeliveries, readDelivery, readMissed } from './query.js';
import { recoverView } from './recover-view.js';

export interface DeliveriesParts {
  readonly reads: Database;
  readonly writes: Database;
  readonly limits: DestinationLimits;
}

interface PageProblem {
  readonly text: string;
  readonly status: number;
}

/** `/deliveries`: what was sent to whom, and what came of it. */
export function deliveriesPages(parts: DeliveriesParts): Page[] {
  const { reads } = parts;
  return [
    { method: 'GET', path: '/deliveries', answer: (visit, begin) => showList(reads, visit, begin) },
    {
      method: 'GET',
      path: '/deliveries/recover',
      answer: (visit, begin) => showMissed(reads, visit, visit.query, { begin }),
    },
    { method: 'POST', path: '/deliveries/recover', answer: (visit) => recover(parts, visit) },
    { method: 'GET', path: '/deliveries/:delivery', answer: (visit) => showOne(reads, visit) },
    { method: 'POST', path: '/deliveries/:delivery/resend', answer: (visit) => resend(parts, visit) },
  ];
}

async function showList(reads: Database, { account, query, link }: Visit, begin: Begin): Promise<Reply> {
  const { typed, filter, errors } = readFilter(query);
  const beforeId = cursorIn(query);
  const status = statusOf(errors);
  if (status === 200) await begin('Deliveries');
  const { next, ...found } = await readDeliveries(reads, account.id, { filter, beforeId });
  const pages = pagesOf(typed, beforeId, next);
  return page('Deliveries', deliveriesView({ link, plan: account.plan, typed, errors, ...found, ...pages }), status);
}

/**
 * What a recovery would send. The form below it names the end of the range and how many it is, so that exactly this is
 * sent, and nothing that has failed since.
 */
async function showMissed(
  reads: Database,
  visit: Visit,
  asked: URLSearchParams,
  { problem, begin }: { readonly problem?: PageProblem; readonly begin?: Begin } = {},
): Promise<Reply> {
  const { account, link, now } = visit;
  const { typed, filter, errors } = readFilter(asked);
  const until = filter.until ?? now;
  const beforeId = cursorIn(asked);
  const status = problem?.status ?? statusOf(errors);
  if (status === 200) await begin?.('Recover');
  const { next, ...found } = await readMissed(reads, account.id, { filter: { ...filter, until }, beforeId });
  const fields = { ...typed, until: until.toISOString(), expected: String(found.count) };
  const pages = pagesOf(typed, beforeId, next);
  const view = { link, typed, errors, fields, problem: problem?.text, ...found, ...pages };
  return page('Recover', recoverView(view), status);
}

async function recover({ reads, writes }: DeliveriesParts, visit: Visit): Promise<Reply> {
  const { account, actor: by, form, now } = visit;
  const { filter, errors } = readFilter(form);
  if (statusOf(errors) !== 200) return showMissed(reads, visit, form);
  try {
    const { count } = await deliveryReads(reads).previewRecoveryOf(account.id, filter);
    if (String(count) !== form.get('expected')) {
      form.delete('until');
      const text = 'What was missed has changed since it was shown. This is how it stands now.';
      return await showMissed(reads, visit, form, { problem: { text, status: 409 } });
    }
    const recovered = await deliveryCommands(writes).recoverMatching(account.id, { filter, by, now });
    const some = recovered === 1 ? '1 change is' : `${recovered.toLocaleString('en-GB')} changes are`;
    const to = filter.destinationId ? `&destination=${filter.destinationId}` : '';
    return redirect(`/deliveries?trigger=recover${to}`, `${some} on the way.`);
  } catch (error) {
    return showMissed(reads, visit, form, { problem: problemOf(error) });
  }
}

async function showOne(reads: Database, visit: Visit, problem?: PageProblem): Promise<Reply> {
  const { account, params, link, fragment } = visit;
  const found = await readDelivery(reads, { id: deliveryId(params), accountId: account.id });
  const body = deliveryView({ link, problem: problem?.text, ...found });
  return fragment === 'delivery' ? { kind: 'fragment', body } : page(titleOf(found.delivery), body, problem?.status);
}

/** For the tab: by it several open deliveries are told apart. */
function titleOf({ change, trigger }: DeliveryProps['delivery']): string {
  return `Delivery: ${change?.summary ?? titleWithoutChange(trigger)}`;
}

async function resend({ reads, writes, limits }: DeliveriesParts, visit: Visit): Promise<Reply> {
  const { account, actor: by, params, now } = visit;
  const reference = { id: deliveryId(params), accountId: account.id };
  try {
    await limits.count('resend', (await deliveryReads(reads).show(reference)).destinationId);
    await deliveryCommands(writes).resend({ ...reference, by }, now);
    return redirect(`/deliveries/${reference.id}`, 'It is sent once more.');
  } catch (error) {
    return showOne(reads, visit, problemOf(error));
  }
}

/** What the state or the plan does not allow, or was asked for too often; anything else is thrown on. */
function problemOf(error: unknown): PageProblem {
  if (error instanceof ApiError) return { text: error.message, status: 429 };
  if (!(error instanceof Refusal) || error instanceof NotFound) throw error;
  return { text: error.message, status: error instanceof Conflict ? 409 : 403 };
}

function cursorIn(query: URLSearchParams): DeliveryId | undefined {
  const before = query.get('before') ?? '';
  return deliveryIdSchema.safeParse(before).success ? (before as DeliveryId) : undefined;
}

/** Queries of the pages of a list, with its filters. */
function pagesOf(typed: Readonly<Record<string, string>>, beforeId: string | undefined, next: string | undefined) {
  const pageAfter = (before?: string) =>
    `?${new URLSearchParams({ ...typed, ...(before !== undefined && { before }) })}`;
  return {
    next: next === undefined ? undefined : pageAfter(next),
    first: beforeId === undefined ? undefined : pageAfter(),
  };
}

/** @throws NotFound */
function deliveryId({ delivery }: Visit['params']): DeliveryId {
  if (!deliveryIdSchema.safeParse(delivery).success) throw new NotFound('delivery');
  return delivery as DeliveryId;
}
