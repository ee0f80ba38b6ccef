import { presentMatchingRecoveryPreview, recoverMatchingSchema } from '@artist-watch/contracts/api/delivery';
import { recoverDeliveries as operation } from '@artist-watch/contracts/api/operations/delivery-operations';
import type { DeliveryCommands } from '@artist-watch/delivery/store/commands';
import type { DeliveryReads } from '@artist-watch/delivery/store/reads';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { parseBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';
import { actorOf } from '../../../application/access/identity.js';
import { filterFrom, recoveryRange } from '../filter-input.js';

export const presentRecovered = (recovered: number) => jsonAnswer(202, { recovered });

export function recoverDeliveriesRoute({
  deliveries,
  reads,
}: {
  readonly deliveries: DeliveryCommands;
  readonly reads: DeliveryReads;
}): Route {
  return {
    operation,
    async answer({ identity, now, once, readJson }) {
      const { accountId } = identity;
      const { dry_run: dryRun, ...input } = parseBody(recoverMatchingSchema, await readJson());
      const filter = filterFrom({ ...input, ...recoveryRange(input) });
      if (dryRun) {
        return jsonAnswer(200, presentMatchingRecoveryPreview(await reads.previewRecoveryOf(accountId, filter)));
      }
      const request = { filter, by: actorOf(identity), now };
      return presentRecovered(await deliveries.recoverMatching(accountId, request, once(presentRecovered)));
    },
  };
}
