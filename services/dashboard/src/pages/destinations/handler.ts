import { ApiError } from '@artist-watch/contracts/api/errors';
import { deliveryIdSchema } from '@artist-watch/contracts/api/identifiers';
import { PLANS } from '@artist-watch/domain/account/plans';
import type { DeliveryId } from '@artist-watch/domain/ids';
import { NotFound, Refusal } from '@artist-watch/domain/refusals';
import { readDestinations } from '@artist-watch/persistence/destination/reads';
import { type Page, page, type Reply, type Visit } from '../../application/page.js';
import { destinationTitle } from '../../views/destination-title.js';
import { actionPages } from './action-handler.js';
import { type DestinationsParts, type FormProblem, referenceOf, statusOf } from './destinations-parts.js';
import { destinationView } from './detail-view.js';
import { destinationsView } from './list-view.js';
import { readDestinationPage } from './query.js';
import { secretPages } from './secret-handler.js';
import { TestResultBox } from './test-view.js';
import { writePages } from './write-handler.js';

/** `/destinations`: where changes are sent. */
export function destinationsPages(parts: DestinationsParts): Page[] {
  const show = (visit: Visit, problem?: FormProblem) => showOne(parts, visit, problem);
  /** What the state of the destination or the plan does not allow is said on its page. */
  const orRefusal = async (visit: Visit, work: () => Promise<Reply>): Promise<Reply> => {
    try {
      return await work();
    } catch (error) {
      const isRefusal = error instanceof Refusal || error instanceof ApiError;
      if (!isRefusal || error instanceof NotFound) throw error;
      return show(visit, { text: error.message, status: statusOf(error) });
    }
  };
  return [
    { method: 'GET', path: '/destinations', answer: (visit) => showList(parts, visit) },
    ...writePages(parts),
    { method: 'GET', path: '/destinations/:destination', answer: (visit) => show(visit) },
    ...actionPages(parts, { show, orRefusal }),
    ...secretPages(parts, { orRefusal }),
  ];
}

async function showList({ reads, switchOffAfter }: DestinationsParts, { account, link }: Visit): Promise<Reply> {
  const { plan } = account;
  const destinations = await readDestinations(reads.pool, account.id);
  const limit = PLANS[plan].destinations + PLANS[plan].chatDestinations;
  return page('Destinations', destinationsView({ link, plan, destinations, switchOffAfter, hasPlan: limit > 0 }));
}

async function showOne(
  { reads, switchOffAfter }: DestinationsParts,
  visit: Visit,
  problem?: FormProblem,
): Promise<Reply> {
  const { link, member, query, fragment } = visit;
  const asked = query.get('test') ?? '';
  const testId = deliveryIdSchema.safeParse(asked).success ? (asked as DeliveryId) : undefined;
  const found = await readDestinationPage(reads, referenceOf(visit), testId);
  const { id: destinationId } = found.destination;
  if (fragment === 'test-result') {
    return { kind: 'fragment', body: TestResultBox({ link, destinationId, test: found.test }) };
  }
  const isOwner = member.role === 'owner';
  const view = destinationView({ link, switchOffAfter, isOwner, problem, ...found });
  return page(destinationTitle(found.destination), view, problem?.status);
}
