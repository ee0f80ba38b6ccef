/**
 * The status of a change in an account: `open` (no decision yet), `handled`, or `expected` (the change was intended).
 */
export const CHANGE_STATUSES = ['open', 'handled', 'expected'] as const;
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

/** The audit action that is logged for each new status. */
export const STATUS_ACTIONS: Readonly<Record<ChangeStatus, string>> = {
  open: 'change.reopened',
  handled: 'change.handled',
  expected: 'change.expected',
};

export const MAX_NOTE_CHARS = 1_000;
