import { z } from 'zod';

/** The most deliveries of one job. */
export const MAX_DELIVERIES_OF_JOB = 32;

const deliveryId = z.string().startsWith('dlv_');

/**
 * The data of a `change.confirmed` job: the deliveries to send. The database has everything else when the job is taken, so
 * a job can be lost, doubled or old without harm.
 */
export const deliveryJobSchema = z.object({
  deliveryIds: z.array(deliveryId).min(1).max(MAX_DELIVERIES_OF_JOB),
});

export type DeliveryJob = z.infer<typeof deliveryJobSchema>;

/** A job of versions before 0.2, which carries one delivery. */
export const formerDeliveryJobSchema = z.object({ deliveryId });
