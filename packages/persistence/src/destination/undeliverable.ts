/**
 * Of a row of `destinations`, called `t`: whether nothing may be sent to it any more. In the words of the partial index
 * `destinations_undeliverable_idx`.
 */
export const IS_UNDELIVERABLE = `(t.state = 'off' OR t.deleted_at IS NOT NULL OR t.plan_required)`;

/** Of such a row: whether a test is sent to it all the same. A destination that is off is tested before it is enabled. */
export const TAKES_TESTS = `(t.deleted_at IS NULL AND NOT t.plan_required)`;

/** Of such a row, with what reason its pending deliveries are skipped; null of any other. */
export const REASON_TO_SKIP = `CASE WHEN t.deleted_at IS NOT NULL THEN 'destination_deleted'
              WHEN t.state = 'off' THEN 'destination_off'
              WHEN t.plan_required THEN 'plan_required' END`;
