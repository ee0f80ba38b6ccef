import type { Monotonic } from '@artist-watch/delivery/decide/ports';
import type { ProxyState } from './proxy-probe.js';

/** Feels whether a proxy is well for as long as something is on its way through it. */
export interface ProxyPulse {
  /** Did it leave the last question unanswered, or ask to be left out? */
  readonly isUnwell: boolean;
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
  readonly probe: () => Promise<ProxyState>;
  readonly monotonic: Monotonic;
  /** Between two questions. A proxy that is silent for less cannot make a receiver look late. */
  readonly everyMs: number;
  /** Asks one that is unwell until it is well, though nothing is on its way: it may be left out till then. */
  readonly untilWell: boolean;
}

/**
 * A proxy that was frozen for a while, and answers again by the time that a request through it has timed out, would look
 * as if the receiver had been silent. So it is asked all the while, and not only when it is too late.
 */
export function createProxyPulse({ probe, monotonic, everyMs, untilWell }: ProxyPulseOptions): ProxyPulse {
  let state: ProxyState = 'well';
  let silentUntilMs = Number.NEGATIVE_INFINITY;
  let held = 0;
  let timer: NodeJS.Timeout | undefined;

  async function ask(): Promise<boolean> {
    state = await probe();
    if (state === 'silent') silentUntilMs = monotonic.nowMs();
    startOrStop();
    return state !== 'silent';
  }

  function startOrStop(): void {
    if (held > 0 || (untilWell && state !== 'well')) timer ??= setInterval(() => void ask(), everyMs).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  }

  return {
    get isUnwell() {
      return state !== 'well';
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
      state = 'well';
      held = 0;
      startOrStop();
    },
  };
}
