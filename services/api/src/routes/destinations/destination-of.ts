import { destinationIdSchema } from '@artist-watch/contracts/api/identifiers';
import type { DestinationId } from '@artist-watch/domain/ids';
import { pathId } from '../../adapters/http/request/input.js';
import type { ApiRequest } from '../../adapters/http/route.js';
import { actorOf } from '../../application/access/identity.js';
import type { DestinationReference } from '../../application/management/ports.js';

/** The destination that the path names. @throws NotFound */
export function destinationOf({ identity, parameters }: ApiRequest): DestinationReference {
  return {
    id: pathId<DestinationId>(destinationIdSchema, parameters.id, 'destination'),
    accountId: identity.accountId,
    by: actorOf(identity),
  };
}
