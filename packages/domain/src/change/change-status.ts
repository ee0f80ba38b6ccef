/** The decision of an account about a change: none yet, dealt with, or meant to happen. */
export const CHANGE_STATUSES = ['open', 'handled', 'expected'] as const;
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

/** The audit action of a new status. */
export const STATUS_ACTIONS: Readonly<Record<ChangeStatus, string>> = {
  open: 'change.reopened',
  handled: 'change.handled',
  expected: 'change.expected',
};

export const MAX_NOTE_CHARS = 1_000;
