export interface Deadline {
  /** Counts from now on anew. */
  restart(): void;
  cancel(): void;
}

/** What is in the sockets' buffers is looked at first: a process that was frozen wakes with its timers overdue. */
const SECOND_LOOK_MS = 50;

/** Calls `onPassed` when `ms` have passed, and nothing that had arrived by then cancelled it. */
export function startDeadline(ms: number, onPassed: () => void): Deadline {
  let secondLook: NodeJS.Timeout | undefined;
  const timer = setTimeout(() => {
    secondLook = setTimeout(onPassed, SECOND_LOOK_MS);
  }, ms);
  return {
    restart() {
      clearTimeout(secondLook);
      timer.refresh();
    },
    cancel() {
      clearTimeout(secondLook);
      clearTimeout(timer);
    },
  };
}
