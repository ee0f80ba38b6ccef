import type { Logger } from '@artist-watch/observability/logger';
import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import type pg from 'pg';

type Add<Delivery> = (deliveries: readonly Delivery[]) => Promise<void>;

/**
 * Adds to the trace of each delivery's change that the delivery was queued. A batch serves many traces, so each gets a span
 * of its own for the time that the batch took.
 */
export function tracedAdd<Delivery extends { readonly deliveryId: string }>(
  { tracing, pool, log }: { readonly tracing: Tracing; readonly pool: pg.Pool; readonly log: Logger },
  add: Add<Delivery>,
): Add<Delivery> {
  if (!tracing.isOn) return add;
  return async (deliveries) => {
    const startedAt = new Date();
    await add(deliveries);
    const ids = deliveries.map(({ deliveryId }) => deliveryId);
    // They are queued: a failure to trace them must not look like a failure to queue them.
    const traced = await traceparentsOf(pool, ids).catch((error: unknown) => {
      log.warn('relay.not_traced', { error });
      return [];
    });
    for (const { deliveryId, traceparent } of traced) {
      const attributes = { 'delivery.id': deliveryId };
      tracing.begin('delivery.relay', { kind: 'producer', parent: traceparent, attributes, startedAt }).end();
    }
  };
}

/** Where the changes of deliveries stand in traces, by delivery; those that nobody traced are left out. */
async function traceparentsOf(
  pool: pg.Pool,
  deliveryIds: readonly string[],
): Promise<readonly { readonly deliveryId: string; readonly traceparent: string }[]> {
  const { rows } = await pool.query<{ id: string; traceparent: string }>({
    name: 'traceparents',
    text: `SELECT d.id, c.traceparent FROM deliveries d JOIN changes c ON c.id = d.change_id
            WHERE d.id = ANY($1) AND c.traceparent IS NOT NULL`,
    values: [deliveryIds],
  });
  return rows.map(({ id, traceparent }) => ({ deliveryId: id, traceparent }));
}
