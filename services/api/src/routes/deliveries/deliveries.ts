import { sinceSchema, untilSchema } from '@artist-watch/contracts/api/change-filter';
import {
  deliveryFilterFrom,
  presentDelivery,
  presentDeliveryDetail,
  presentListedDelivery,
  presentMatchingRecoveryPreview,
  presentRecovered,
  type ShownRecovered,
} from '@artist-watch/contracts/api/delivery';
import { invalidParam } from '@artist-watch/contracts/api/errors';
import { MAX_PAGE_ITEMS } from '@artist-watch/contracts/api/fields';
import { DELIVERY_OPERATIONS } from '@artist-watch/contracts/api/operations/delivery-operations';
import { deliveryCommands } from '@artist-watch/delivery/store/commands';
import { deliveryReads } from '@artist-watch/delivery/store/reads';
import type { DeliveryRecord } from '@artist-watch/delivery/store/record';
import { toActor } from '@artist-watch/domain/account/actor';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-state';
import type { DeliveryId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { z } from 'zod';
import { type Route, type RouteParts, routesOf } from '../../adapters/http/route.js';
import { linkToNext, openCursor, refuseOtherFilter } from '../../application/list-page.js';

const contentSchema = z.tuple([
  z.string(),
  z.looseObject({ since: z.coerce.date().optional(), until: z.coerce.date().optional() }),
]);

const present = (delivery: DeliveryRecord) => jsonAnswer(202, presentDelivery(delivery));
export const answerRecovered = (recovered: ShownRecovered) => jsonAnswer(202, presentRecovered(recovered));

export function deliveryRoutes({ writes, limits, cursorSeal, ...parts }: RouteParts): Route[] {
  const deliveries = deliveryCommands(writes);
  const reads = deliveryReads(parts.reads, parts.dashboardUrl);
  return routesOf(DELIVERY_OPERATIONS, {
    async listDeliveries({ principal: { accountId }, query, baseUrl }) {
      const { limit = MAX_PAGE_ITEMS, cursor, ...given } = query;
      const scope = `deliveries:${accountId}`;
      const asked = deliveryFilterFrom(given);
      const [beforeId, earlier] = openCursor(cursorSeal, scope, cursor, contentSchema) ?? [];
      if (earlier) refuseOtherFilter(earlier, asked);
      const filter = (earlier ?? asked) as DeliveryFilter;
      const from = beforeId === undefined ? {} : { beforeId: beforeId as DeliveryId };
      const read = await reads.listWithLastAttempts({ ...filter, accountId, ...from, limit: limit + 1 });
      const page = read.slice(0, limit);
      const last = read.length > limit ? page.at(-1) : undefined;
      const next_cursor = last ? cursorSeal.close(scope, [last.id, filter]) : null;
      const link = linkToNext(`${baseUrl}${DELIVERY_OPERATIONS.listDeliveries.path}`, query, next_cursor);
      return jsonAnswer(200, { data: page.map(presentListedDelivery), next_cursor }, link);
    },

    async showDelivery({ principal, id }) {
      const delivery = await reads.show({ id, accountId: principal.accountId });
      return jsonAnswer(200, presentDeliveryDetail(delivery));
    },

    async resendDelivery({ principal, id, now, once }) {
      const reference = { id, accountId: principal.accountId, by: toActor(principal) };
      await limits.count('resend', (await reads.show(reference)).destinationId);
      return present(await deliveries.resend(reference, now, once(present)));
    },

    async recoverDeliveries({ principal, now, once, readBody }) {
      const { accountId } = principal;
      const { dry_run: dryRun, cursor, ...input } = await readBody();
      const filter = deliveryFilterFrom({ ...input, ...recoveryRange(input) });
      if (dryRun) {
        const { destinationId: id } = filter;
        if (id !== undefined) await reads.requireDestination({ id, accountId });
        return jsonAnswer(200, presentMatchingRecoveryPreview(await reads.previewMatchingRecovery(accountId, filter)));
      }
      const request = { filter, by: toActor(principal), now, after: cursor as DeliveryId | undefined };
      return answerRecovered(await deliveries.recoverMatching(accountId, request, once(answerRecovered)));
    },
  });
}

/** @throws ApiError `invalid_since`, `invalid_input` */
export function recoveryRange(input: { readonly since: string; readonly until?: string | undefined }) {
  const since = sinceSchema.safeParse(input.since);
  if (!since.success) {
    throw invalidParam('invalid_since', 'since', since.error.issues[0]?.message ?? '"since" is not a time.');
  }
  const until = untilSchema.optional().safeParse(input.until);
  if (!until.success) throw invalidParam('invalid_input', 'until', `until ${until.error.issues[0]?.message}.`);
  if (until.data && until.data <= since.data)
    throw invalidParam('invalid_input', 'until', 'until must be after since.');
  return { since: since.data, until: until.data };
}
