import { PLANS } from '@artist-watch/domain/account/plans';
import { readDestinations } from '@artist-watch/persistence/destination/reads';
import { get, type Page, page, type Reply, type Visit } from '../../application/page.js';
import { typedId } from '../../application/typed.js';
import { destinationTitle } from '../../views/text.js';
import type { PageParts } from '../parts.js';
import { actionPages } from './action-handler.js';
import { destinationView } from './detail-view.js';
import { destinationsView } from './list-view.js';
import { type FormProblem, readDestinationPage, referenceOf } from './query.js';
import { TestResultBox } from './test-view.js';
import { writePages } from './write-handler.js';

/** `/destinations`: where changes are sent. */
export function destinationsPages(parts: PageParts): Page[] {
  const show = (visit: Visit, problem?: FormProblem) => showOne(parts, visit, problem);
  return [
    get('/destinations', 'member', (visit) => showList(parts, visit)),
    ...writePages(parts),
    get('/destinations/:destination', 'member', (visit) => show(visit)),
    ...actionPages(parts, show),
  ];
}

async function showList({ reads, switchOffAfter }: PageParts, { account, link }: Visit): Promise<Reply> {
  const { plan } = account;
  const destinations = await readDestinations(reads, account.id);
  const limit = PLANS[plan].destinations + PLANS[plan].chatDestinations;
  return page('Destinations', destinationsView({ link, plan, destinations, switchOffAfter, hasPlan: limit > 0 }));
}

async function showOne({ reads, switchOffAfter }: PageParts, visit: Visit, problem?: FormProblem): Promise<Reply> {
  const { link, member, query, fragment } = visit;
  const testId = typedId('dlv', query.get('test'));
  const found = await readDestinationPage(reads, referenceOf(visit), testId);
  const { id: destinationId } = found.destination;
  if (fragment === 'test-result') {
    return { kind: 'fragment', body: TestResultBox({ link, destinationId, test: found.test }) };
  }
  const isOwner = member.role === 'owner';
  const view = destinationView({ link, switchOffAfter, isOwner, problem, ...found });
  return page(destinationTitle(found.destination), view, problem?.status);
}
