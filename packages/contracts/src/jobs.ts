import { z } from 'zod';

/**
 * What a `change.confirmed` job carries: only which delivery it is. The record says the rest when the job is taken, so
 * a job can be lost, doubled or old without harm.
 */
export const deliveryJobSchema = z.strictObject({
  deliveryId: z.string().startsWith('dlv_'),
  /** W3C trace context of the confirmation, so that one trace spans the queue; never sent to a receiver. */
  traceparent: z.string().optional(),
});

export type DeliveryJob = z.infer<typeof deliveryJobSchema>;
