import type { Monotonic } from '../../application/ports.js';

/** Feels whether a proxy is alive for as long as something is on its way through it. */
export interface ProxyPulse {
  /** Something is on its way; call what it returns when that has ended. */
  hold(): () => void;
  /** Asks once more, and says whether the proxy answered each time that it was asked since then. */
  answeredSince(sinceMs: number): Promise<boolean>;
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
  let silentUntilMs = Number.NEGATIVE_INFINITY;
  let held = 0;
  let timer: NodeJS.Timeout | undefined;

  async function ask(): Promise<boolean> {
    const answered = await isThere();
    if (!answered) silentUntilMs = monotonic.nowMs();
    return answered;
  }

  return {
    hold() {
      held += 1;
      timer ??= setInterval(() => void ask(), everyMs).unref();
      return () => {
        held -= 1;
        if (held > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    async answeredSince(sinceMs) {
      return (await ask()) && silentUntilMs < sinceMs;
    },
  };
}
