import { listDeliveries as operation } from '@artist-watch/contracts/api/operations/delivery-operations';
import type { DeliveryReads } from '@artist-watch/delivery/store/reads';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { linkToNext } from '../../../adapters/http/answer/link-to-next.js';
import type { Route } from '../../../adapters/http/route.js';
import type { CursorSeal } from '../../../application/reading/cursor-seal.js';
import { listDeliveries } from './query.js';
import { parseListDeliveries } from './schema.js';

export function listDeliveriesRoute(ports: {
  readonly deliveries: DeliveryReads;
  readonly cursorSeal: CursorSeal;
}): Route {
  return {
    operation,
    async answer({ identity, query }) {
      const page = await listDeliveries(ports, identity.accountId, parseListDeliveries(query));
      // The cursor knows its filters.
      return jsonAnswer(200, page, linkToNext(operation.path, query, page.next_cursor, ['limit']));
    },
  };
}
