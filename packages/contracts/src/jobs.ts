import { z } from 'zod';

export const MAX_DELIVERIES_OF_JOB = 32;

const deliveryId = z.string().startsWith('dlv_');

/**
 * Contains only ids. The worker reads the rest from the database, so lost, duplicated and outdated jobs are harmless.
 */
export const deliveryJobSchema = z.object({
  deliveryIds: z.array(deliveryId).min(1).max(MAX_DELIVERIES_OF_JOB),
});

export type DeliveryJob = z.infer<typeof deliveryJobSchema>;

/** Jobs before 0.2 have one delivery. */
export const formerDeliveryJobSchema = z.object({ deliveryId });
