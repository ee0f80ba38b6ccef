/** BullMQ sorts delayed jobs by the millisecond at which they wake and, below that, by order of arrival. */
export const SCORES_PER_MS = 0x1000;
