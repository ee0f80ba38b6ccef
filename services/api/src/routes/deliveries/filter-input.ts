import type { deliveryFilterSchema } from '@artist-watch/contracts/api/delivery';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { sinceSchema, untilSchema } from '@artist-watch/contracts/api/since';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-filter';
import type { ChangeId, DestinationId } from '@artist-watch/domain/ids';
import type { z } from 'zod';

/** A filter of deliveries in our own names, without what was not given. */
export function deliveryFilter(given: z.output<typeof deliveryFilterSchema>): DeliveryFilter {
  const { destination, change, status_class: statusClass, ...same } = given;
  const ids = { destinationId: destination as DestinationId | undefined, changeId: change as ChangeId | undefined };
  const filter = { ...ids, statusClass, ...same };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The range of time of a recovery. @throws ApiError `invalid_since`, `invalid_input` */
export function recoveryRange(input: { readonly since: string; readonly until?: string | undefined }) {
  const since = sinceSchema.safeParse(input.since);
  if (!since.success) {
    throw new ApiError('invalid_since', since.error.issues[0]?.message ?? '"since" is not an instant.');
  }
  const until = untilSchema.optional().safeParse(input.until);
  if (!until.success) throw new ApiError('invalid_input', `until ${until.error.issues[0]?.message}.`);
  if (until.data && until.data <= since.data) throw new ApiError('invalid_input', 'until must be after since.');
  return { since: since.data, until: until.data };
}
