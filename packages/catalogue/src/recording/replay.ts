import { createServer } from 'node:http';
import { listen } from '@artist-watch/runtime/lifecycle/listen';
import type { RequestBudget } from '../budget/request-budget.js';
import { createPlatformClient } from '../create-platform-client.js';
import type { PlatformAnswer } from '../http/platform-answer.js';
import { type ReadingResult, type Recording, readAs } from './recording.js';

export interface Replay extends ReadingResult {
  /** What the clients asked that the recording has no answer to: they have changed since, or the recording has. */
  readonly unanswered: readonly string[];
}

const LOOPBACK = '127.0.0.1';

/** Nobody counts the requests of a replay. */
const UNLIMITED: RequestBudget = { take: async () => undefined, penalise: async () => undefined };

/** Puts a recording in the platform's place, on a port of this machine, and reads it with the platform's own client. */
export async function replay(recording: Recording, signal: AbortSignal): Promise<Replay> {
  const unanswered = new Set<string>();
  const answerTo = answersInTurn(recording.answers);
  const server = createServer((request, response) => {
    request.resume();
    const name = `${request.method} ${request.url}`;
    const answer = answerTo(name);
    if (answer === undefined) {
      unanswered.add(name);
      response.writeHead(501).end();
    } else if (answer.status === null) {
      request.socket.destroy();
    } else {
      response.writeHead(answer.status, answer.headers).end(answer.body);
    }
  });
  const url = `http://${LOOPBACK}:${await listen(server, { port: 0, host: LOOPBACK, setting: 'replay' })}`;
  const client = createPlatformClient(
    {
      PLATFORM: recording.platform,
      PLATFORM_URL: url,
      SPOTIFY_ACCOUNTS_URL: url,
      SPOTIFY_CLIENT_ID: 'replay',
      SPOTIFY_CLIENT_SECRET: 'replay',
    },
    { budget: UNLIMITED, clock: { now: () => new Date(recording.recorded_at) }, retryDelaysMs: [0, 0] },
  );
  try {
    return { ...(await readAs(client, recording.reading, signal)), unanswered: [...unanswered] };
  } finally {
    client.close();
    server.closeAllConnections();
    server.close();
  }
}

/** What was asked several times is answered in that order; its last answer stays. */
function answersInTurn(answers: readonly PlatformAnswer[]): (name: string) => PlatformAnswer | undefined {
  const byName = new Map<string, PlatformAnswer[]>();
  for (const answer of answers) {
    const name = `${answer.method} ${answer.path}`;
    byName.set(name, [...(byName.get(name) ?? []), answer]);
  }
  return (name) => {
    const waiting = byName.get(name);
    return waiting && waiting.length > 1 ? waiting.shift() : waiting?.[0];
  };
}
