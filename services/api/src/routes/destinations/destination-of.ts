import { destinationIdSchema } from '@artist-watch/contracts/api/identifiers';
import type { DestinationId } from '@artist-watch/domain/ids';
import type { DestinationReference } from '@artist-watch/persistence/destination/record';
import { pathId } from '../../adapters/http/request/input.js';
import type { ApiRequest } from '../../adapters/http/route.js';
import { actorOf } from '../../application/access/identity.js';

/** The destination that the path names, never without the account that may see it. @throws NotFound */
export function destinationOf({ identity, parameters }: ApiRequest): Required<DestinationReference> {
  return {
    id: pathId<DestinationId>(destinationIdSchema, parameters.id, 'destination'),
    accountId: identity.accountId,
    by: actorOf(identity),
  };
}
