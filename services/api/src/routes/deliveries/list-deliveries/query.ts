import { type DeliveryItem, presentDelivery } from '@artist-watch/contracts/api/delivery';
import { ApiError } from '@artist-watch/contracts/api/errors';
import type { DeliveryReads } from '@artist-watch/delivery/store/reads';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-filter';
import type { AccountId, DeliveryId } from '@artist-watch/domain/ids';
import { z } from 'zod';
import type { CursorSeal } from '../../../application/reading/cursor-seal.js';
import type { ListDeliveriesInput } from './schema.js';

export interface DeliveriesPage {
  readonly data: readonly DeliveryItem[];
  readonly next_cursor: string | null;
}

/** A page of the account's deliveries, newest first. One more than the page is read, to know whether others follow. */
export async function listDeliveries(
  { deliveries, cursorSeal }: { readonly deliveries: DeliveryReads; readonly cursorSeal: CursorSeal },
  accountId: AccountId,
  { filter: asked, limit, cursor }: ListDeliveriesInput,
): Promise<DeliveriesPage> {
  const scope = `deliveries:${accountId}`;
  const earlier = cursor === undefined ? undefined : readCursor(cursorSeal, scope, cursor);
  if (earlier) refuseOtherFilter(earlier.filter, asked);
  const filter = earlier?.filter ?? asked;
  const read = await deliveries.list({
    ...filter,
    accountId,
    ...(earlier && { beforeId: earlier.beforeId }),
    limit: limit + 1,
  });
  const page = read.slice(0, limit);
  const last = page.at(-1);
  return {
    data: page.map(presentDelivery),
    next_cursor: last && read.length > limit ? cursorSeal.close(scope, [last.id, filter]) : null,
  };
}

/** What is in a cursor was closed here: its filter had been parsed. */
const contentSchema = z.tuple([
  z.string(),
  z.looseObject({ since: z.coerce.date().optional(), until: z.coerce.date().optional() }),
]);

function readCursor(seal: CursorSeal, scope: string, cursor: string) {
  const content = contentSchema.safeParse(seal.open(scope, cursor));
  if (!content.success) {
    throw new ApiError('invalid_cursor', '"cursor" must be the "next_cursor" of an earlier page of this list.');
  }
  const [beforeId, filter] = content.data;
  return { beforeId: beforeId as DeliveryId, filter: filter as DeliveryFilter };
}

/** A cursor goes on with the list that it came from, and other filters make another list. */
function refuseOtherFilter(earlier: DeliveryFilter, asked: DeliveryFilter): void {
  for (const [name, value] of Object.entries(asked)) {
    if (String(value) === String(earlier[name as keyof DeliveryFilter])) continue;
    throw new ApiError('invalid_cursor', '"cursor" belongs to a list with other filters; leave the filters out.');
  }
}
