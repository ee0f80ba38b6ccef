/** `expected` means that the change was intended. */
export const CHANGE_STATUSES = ['open', 'handled', 'expected'] as const;
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

export const STATUS_ACTIONS: Readonly<Record<ChangeStatus, string>> = {
  open: 'change.reopened',
  handled: 'change.handled',
  expected: 'change.expected',
};

export const MAX_NOTE_CHARS = 1_000;
