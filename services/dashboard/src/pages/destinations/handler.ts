import { destinationIdSchema } from '@artist-watch/contracts/api/identifiers';
import { PLANS } from '@artist-watch/domain/account/plans';
import type { DestinationId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '@artist-watch/persistence/database/database';
import { readDestinations } from '@artist-watch/persistence/destination/reads';
import { type Page, page, type Reply, type Visit } from '../../application/page.js';
import { destinationView } from './detail-view.js';
import { destinationsView } from './list-view.js';
import { readDestinationPage } from './query.js';

export interface DestinationsParts {
  readonly reads: Database;
  readonly writes: Database;
  /** After how many failures in a row a destination is switched off. */
  readonly switchOffAfter: number;
}

/** `/destinations`: where changes are sent. */
export function destinationsPages(parts: DestinationsParts): Page[] {
  return [
    { method: 'GET', path: '/destinations', answer: (visit) => showList(parts, visit) },
    { method: 'GET', path: '/destinations/:destination', answer: (visit) => showOne(parts, visit) },
  ];
}

async function showList({ reads, switchOffAfter }: DestinationsParts, { account, link }: Visit): Promise<Reply> {
  const { plan } = account;
  const destinations = await readDestinations(reads.pool, account.id);
  const limit = PLANS[plan].destinations + PLANS[plan].chatDestinations;
  return page('Destinations', destinationsView({ link, plan, destinations, switchOffAfter, hasPlan: limit > 0 }));
}

async function showOne({ reads, switchOffAfter }: DestinationsParts, visit: Visit): Promise<Reply> {
  const found = await readDestinationPage(reads, referenceOf(visit));
  return page('Destination', destinationView({ link: visit.link, switchOffAfter, ...found }));
}

/** @throws NotFound */
function referenceOf({ account, params: { destination } }: Visit) {
  if (!destinationIdSchema.safeParse(destination).success) throw new NotFound('destination');
  return { id: destination as DestinationId, accountId: account.id };
}
