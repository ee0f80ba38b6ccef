import type { Monotonic } from '../../application/ports.js';

/** Feels whether a proxy is alive for as long as something is on its way through it, and until it is found alive. */
export interface ProxyPulse {
  /** Did it leave the last question unanswered? */
  readonly isSilent: boolean;
  /** Something is on its way; call what it returns when that has ended. */
  hold(): () => void;
  /** Did it leave a question unanswered since then? Asks none. */
  wasSilentSince(sinceMs: number): boolean;
  /** Asks once more, and says whether the proxy answered each time that it was asked since then. */
  answeredSince(sinceMs: number): Promise<boolean>;
  /** Asks no more. */
  stop(): void;
}

export interface ProxyPulseOptions {
  readonly isThere: () => Promise<boolean>;
  readonly monotonic: Monotonic;
  /** Between two questions. A proxy that is silent for less cannot make a receiver look late. */
  readonly everyMs: number;
}

/**
 * A proxy that was frozen for a while, and answers again by the time that a request through it has timed out, would look
 * as if the receiver had been silent. So it is asked all the while, and not only when it is too late.
 */
export function createProxyPulse({ isThere, monotonic, everyMs }: ProxyPulseOptions): ProxyPulse {
  let isSilent = false;
  let silentUntilMs = Number.NEGATIVE_INFINITY;
  let held = 0;
  let timer: NodeJS.Timeout | undefined;

  async function ask(): Promise<boolean> {
    isSilent = !(await isThere());
    if (isSilent) silentUntilMs = monotonic.nowMs();
    startOrStop();
    return !isSilent;
  }

  function startOrStop(): void {
    if (held > 0 || isSilent) timer ??= setInterval(() => void ask(), everyMs).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  }

  return {
    get isSilent() {
      return isSilent;
    },
    hold() {
      held += 1;
      startOrStop();
      return () => {
        held -= 1;
        startOrStop();
      };
    },
    wasSilentSince: (sinceMs) => silentUntilMs >= sinceMs,
    async answeredSince(sinceMs) {
      return (await ask()) && silentUntilMs < sinceMs;
    },
    stop() {
      isSilent = false;
      held = 0;
      startOrStop();
    },
  };
}
