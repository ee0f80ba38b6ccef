import { z } from 'zod';

/** Maximum number of deliveries per job. */
export const MAX_DELIVERIES_OF_JOB = 32;

const deliveryId = z.string().startsWith('dlv_');

/**
 * The data of a `change.confirmed` job: the deliveries to send. The worker reads everything else from the database when
 * the job runs, so a lost, duplicated or outdated job does no harm.
 */
export const deliveryJobSchema = z.object({
  deliveryIds: z.array(deliveryId).min(1).max(MAX_DELIVERIES_OF_JOB),
});

export type DeliveryJob = z.infer<typeof deliveryJobSchema>;

/** A job from a version before 0.2. It has only one delivery. */
export const formerDeliveryJobSchema = z.object({ deliveryId });
