import { z } from 'zod';

export const MAX_DELIVERIES_OF_JOB = 32;

const deliveryId = z.string().startsWith('dlv_');

/** The worker reads everything else from the database, so lost, duplicated and outdated jobs do no harm. */
export const deliveryJobSchema = z.object({
  deliveryIds: z.array(deliveryId).min(1).max(MAX_DELIVERIES_OF_JOB),
});

export type DeliveryJob = z.infer<typeof deliveryJobSchema>;

/** Jobs from versions before 0.2 contain a single delivery. */
export const formerDeliveryJobSchema = z
  .object({ deliveryId })
  .transform((job): DeliveryJob => ({ deliveryIds: [job.deliveryId] }));
