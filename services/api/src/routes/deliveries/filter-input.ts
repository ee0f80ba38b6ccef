import { ApiError } from '@artist-watch/contracts/api/errors';
import { parseSince, sinceSchema } from '@artist-watch/contracts/api/since';
import type { AttemptError } from '@artist-watch/domain/delivery/attempt-errors';
import type { DeliveryFilter, StatusClass } from '@artist-watch/domain/delivery/delivery-filter';
import type { ChargedBlame, DeliveryState, Trigger } from '@artist-watch/domain/delivery/delivery-state';
import type { ChangeId, DestinationId } from '@artist-watch/domain/ids';

interface GivenFilter {
  readonly destination?: string | undefined;
  readonly state?: DeliveryState | undefined;
  readonly change?: string | undefined;
  readonly trigger?: Trigger | undefined;
  readonly error?: AttemptError | undefined;
  readonly status_class?: StatusClass | undefined;
  readonly blame?: ChargedBlame | undefined;
  readonly since: Date | undefined;
  readonly until: Date | undefined;
}

/** A filter of deliveries in our own names, without what was not given. */
export function filterFrom(input: GivenFilter): DeliveryFilter {
  const { destination, change, status_class: statusClass, state, trigger, error, blame, since, until } = input;
  const filter = {
    destinationId: destination as DestinationId | undefined,
    changeId: change as ChangeId | undefined,
    ...{ statusClass, state, trigger, error, blame, since, until },
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The range of time of a recovery. @throws ApiError `invalid_since`, `invalid_input` */
export function recoveryRange(input: { readonly since: string; readonly until?: string | undefined }) {
  const since = sinceSchema.safeParse(input.since);
  if (!since.success) {
    throw new ApiError('invalid_since', since.error.issues[0]?.message ?? '"since" is not an instant.');
  }
  const until = input.until === undefined ? undefined : requireInstant('until', input.until);
  if (until && until <= since.data) throw new ApiError('invalid_input', 'until must be after since.');
  return { since: since.data, until };
}

/** @throws ApiError `invalid_input` */
export function requireInstant(name: string, text: string): Date {
  const instant = parseSince(text);
  if (instant) return instant;
  throw new ApiError(
    'invalid_input',
    `${name} must be one RFC 3339 instant with a zone, such as 2026-05-01T12:00:00Z.`,
  );
}
