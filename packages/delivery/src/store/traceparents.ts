import type pg from 'pg';

/** Where the changes of deliveries stand in traces, by delivery; those that nobody traced are left out. */
export async function traceparentsOf(
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
