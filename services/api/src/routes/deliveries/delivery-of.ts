import { deliveryIdSchema } from '@artist-watch/contracts/api/identifiers';
import type { DeliveryReference } from '@artist-watch/delivery/store/record';
import type { DeliveryId } from '@artist-watch/domain/ids';
import { pathId } from '../../adapters/http/request/input.js';
import type { ApiRequest } from '../../adapters/http/route.js';
import { actorOf } from '../../application/access/identity.js';

/** The delivery that the path names, never without the account that may see it. @throws NotFound */
export function deliveryOf({ identity, parameters }: ApiRequest): Required<DeliveryReference> {
  return {
    id: pathId<DeliveryId>(deliveryIdSchema, parameters.id, 'delivery'),
    accountId: identity.accountId,
    by: actorOf(identity),
  };
}
