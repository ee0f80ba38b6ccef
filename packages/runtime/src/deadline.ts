export interface Deadline {
  /** Counts from now on anew. */
  restart(): void;
  cancel(): void;
}

/** What is in the sockets' buffers is looked at first: a process that was frozen wakes with its timers overdue. */
const SECOND_LOOK_MS = 50;

/** Calls `onPassed` when `ms` have passed, and nothing that had arrived by then cancelled it. */
export function startDeadline(ms: number, onPassed: () => void): Deadline {
  const takeSecondLook = () => {
    timer = setTimeout(onPassed, SECOND_LOOK_MS);
  };
  let timer = setTimeout(takeSecondLook, ms);
  return {
    restart() {
      clearTimeout(timer);
      timer = setTimeout(takeSecondLook, ms);
    },
    cancel: () => clearTimeout(timer),
  };
}
