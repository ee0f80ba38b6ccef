import { within } from '../clock.js';

/** Resolves when the dependency is well. */
export type ReadinessCheck = () => Promise<unknown>;

/** No texts of errors: they may hold addresses and credentials. */
export type CheckState = 'ok' | 'failed' | 'timed_out';

/**
 * Looks at all dependencies at once. Probes come at their own pace, so looks that overlap share one run of each check:
 * a dependency that hangs holds one pending check, however often it is asked for.
 */
export class Readiness {
  readonly #checks: readonly { readonly name: string; readonly state: () => Promise<CheckState> }[];
  readonly #timeoutMs: number;

  constructor(checks: Readonly<Record<string, ReadinessCheck>>, timeoutMs: number) {
    this.#checks = Object.entries(checks).map(([name, check]) => ({ name, state: sharing(check) }));
    this.#timeoutMs = timeoutMs;
  }

  async look(): Promise<{ readonly ready: boolean; readonly checks: Readonly<Record<string, CheckState>> }> {
    const looks = this.#checks.map(
      async ({ name, state }) => [name, await within<CheckState>(this.#timeoutMs, state(), () => 'timed_out')] as const,
    );
    const states = await Promise.all(looks);
    return { ready: states.every(([, state]) => state === 'ok'), checks: Object.fromEntries(states) };
  }
}

function sharing(check: ReadinessCheck): () => Promise<CheckState> {
  let running: Promise<CheckState> | undefined;
  return () => {
    running ??= settled(check).finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function settled(check: ReadinessCheck): Promise<CheckState> {
  try {
    await check();
    return 'ok';
  } catch {
    return 'failed';
  }
}
