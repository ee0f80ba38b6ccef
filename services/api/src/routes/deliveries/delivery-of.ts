import { deliveryIdSchema } from '@artist-watch/contracts/api/identifiers';
import type { DeliveryId } from '@artist-watch/domain/ids';
import { pathId } from '../../adapters/http/request/input.js';
import type { ApiRequest } from '../../adapters/http/route.js';
import { actorOf } from '../../application/access/identity.js';
import type { DeliveryReference } from '../../application/management/ports.js';

/** The delivery that the path names. @throws NotFound */
export function deliveryOf({ identity, parameters }: ApiRequest): DeliveryReference {
  return {
    id: pathId<DeliveryId>(deliveryIdSchema, parameters.id, 'delivery'),
    accountId: identity.accountId,
    by: actorOf(identity),
  };
}
