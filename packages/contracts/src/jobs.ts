import { z } from 'zod';

/**
 * What a `change.confirmed` job carries: only which delivery it is, and to which destination, so that a worker can give
 * each destination its share before it reads anything. The record says the rest when the job is taken; a job can be
 * lost, doubled or old without harm.
 */
export const deliveryJobSchema = z.object({
  deliveryId: z.string().startsWith('dlv_'),
  destinationId: z.string().startsWith('dst_'),
});

export type DeliveryJob = z.infer<typeof deliveryJobSchema>;
