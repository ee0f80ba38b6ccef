import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../ledger/ledger.js';
import { reportedChange } from './reported-change.js';

export interface ChangeSourceOptions {
  readonly ingestUrl: string;
  readonly ingestToken: string;
  readonly artistPlatformId: string;
  readonly ledger: Ledger;
}

/** Reports changes repeatedly until they are accepted. */
export interface ChangeSource {
  /** Resolves when all changes are accepted. */
  report(count: number): Promise<void>;
  keepReporting(batch: number, pauseMs: number, signal: AbortSignal): Promise<void>;
}

const largestBatch = 500;
const answerTimeoutMs = 10_000;
const againAfterMs = 100;
const patienceMs = 120_000;

export function openChangeSource(options: ChangeSourceOptions): ChangeSource {
  const { ledger, ingestUrl, artistPlatformId } = options;
  let number = 0;

  async function post(changes: readonly object[]): Promise<number> {
    const response = await fetch(`${ingestUrl}/changes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${options.ingestToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ changes }),
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    const text = await response.text();
    // A retry cannot fix an invalid batch.
    if (response.status >= 400 && response.status < 500) throw new RefusedBatch(`${response.status}: ${text}`);
    return response.status;
  }

  async function untilAccepted(changes: readonly object[]): Promise<void> {
    const giveUpAtMs = performance.now() + patienceMs;
    for (;;) {
      try {
        if ((await post(changes)) === 202) return;
      } catch (error) {
        if (error instanceof RefusedBatch) throw error;
      }
      if (performance.now() > giveUpAtMs) throw new Error(`change-ingest accepted no changes for ${patienceMs} ms.`);
      await sleep(againAfterMs);
    }
  }

  return {
    async report(count) {
      for (let left = count; left > 0; left -= largestBatch) {
        const reported = Array.from({ length: Math.min(left, largestBatch) }, () =>
          reportedChange(artistPlatformId, number++),
        );
        await untilAccepted(reported.map(({ item }) => item));
        const acceptedAtMs = Date.now();
        ledger.accept(reported.map(({ entry }) => ({ ...entry, acceptedAtMs })));
      }
    },
    async keepReporting(batch, pauseMs, signal) {
      while (!signal.aborted) {
        await this.report(batch);
        await sleep(pauseMs);
      }
    },
  };
}

class RefusedBatch extends Error {}
