import { deliveryFilterSchema } from '@artist-watch/contracts/api/delivery';
import { parseSince } from '@artist-watch/contracts/api/since';
import type { DeliveryFilter } from '@artist-watch/domain/delivery/delivery-filter';

/** A day alone begins in UTC. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** As they stand in the address: the names of the API. */
const FILTER_NAMES = [
  'destination',
  'state',
  'change',
  'trigger',
  'error',
  'status_class',
  'blame',
  'since',
  'until',
] as const;

export type DeliveriesFilterName = (typeof FILTER_NAMES)[number];

export interface AskedDeliveriesFilter {
  /** As it was typed, empty fields left out. */
  readonly typed: Partial<Record<DeliveriesFilterName, string>>;
  /** What could be read of it. */
  readonly filter: DeliveryFilter;
  /** What is wrong with the rest. */
  readonly errors: Partial<Record<DeliveriesFilterName, string>>;
}

/** The filter of the list of deliveries, from an address. */
export function readFilter(query: URLSearchParams): AskedDeliveriesFilter {
  const typed: Partial<Record<DeliveriesFilterName, string>> = {};
  const errors: Partial<Record<DeliveriesFilterName, string>> = {};
  const read: Partial<Record<DeliveriesFilterName, unknown>> = {};
  for (const name of FILTER_NAMES) {
    const text = query.get(name)?.trim() ?? '';
    if (text === '') continue;
    typed[name] = text;
    if (name === 'since' || name === 'until') {
      const instant = parseSince(DAY.test(text) ? `${text}T00:00:00Z` : text);
      if (instant) read[name] = instant;
      else errors[name] = 'must be a day such as 2026-05-01, or an instant such as 2026-05-01T12:00:00Z';
      continue;
    }
    const parsed = deliveryFilterSchema.shape[name].safeParse(text);
    if (parsed.success) read[name] = parsed.data;
    else errors[name] = parsed.error.issues[0]?.message ?? 'is not known';
  }
  const { destination: destinationId, change: changeId, status_class: statusClass, ...same } = read;
  const filter = Object.fromEntries(
    Object.entries({ destinationId, changeId, statusClass, ...same }).filter(([, value]) => value !== undefined),
  ) as DeliveryFilter;
  return { typed, filter, errors };
}
