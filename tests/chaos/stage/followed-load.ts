import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../ledger/ledger.js';
import type { FollowedService } from './followed-service.js';
import { reportedChange } from './reported-change.js';

export interface FollowedLoad {
  readonly answered: number;
  /** These requests got an unexpected response, or none. */
  readonly lost: readonly string[];
}

const pauseMs = 20;
const reportEveryMs = 400;
const changesAtOnce = 2;

export function keepReading(api: FollowedService, apiKey: string, signal: AbortSignal): Promise<FollowedLoad> {
  return keepAsking(signal, pauseMs, async () => {
    const response = await fetch(`${api.next()}/changes?limit=5`, { headers: { Authorization: `Bearer ${apiKey}` } });
    await response.arrayBuffer();
    return { status: response.status, expected: 200 };
  });
}

/** Reports no batch twice. */
export function keepReportingOnce(
  ingest: FollowedService,
  { ingestToken, artistPlatformId, ledger }: { ingestToken: string; artistPlatformId: string; ledger: Ledger },
  signal: AbortSignal,
): Promise<FollowedLoad> {
  let number = 0;
  return keepAsking(signal, reportEveryMs, async () => {
    const reported = Array.from({ length: changesAtOnce }, () => reportedChange(artistPlatformId, number++));
    const response = await fetch(`${ingest.next()}/changes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ingestToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ changes: reported.map(({ item }) => item) }),
    });
    await response.arrayBuffer();
    const acceptedAtMs = Date.now();
    if (response.status === 202) ledger.accept(reported.map(({ entry }) => ({ ...entry, acceptedAtMs })));
    return { status: response.status, expected: 202 };
  });
}

async function keepAsking(
  signal: AbortSignal,
  everyMs: number,
  ask: () => Promise<{ readonly status: number; readonly expected: number }>,
): Promise<FollowedLoad> {
  const lost: string[] = [];
  let answered = 0;
  while (!signal.aborted) {
    try {
      const { status, expected } = await ask();
      if (status === expected) answered += 1;
      else lost.push(`answered ${status}`);
    } catch (error) {
      lost.push(String((error as Error).cause ?? error));
    }
    await sleep(everyMs);
  }
  return { answered, lost };
}
