import { createServer } from 'node:http';
import type { Observation } from '@artist-watch/domain/catalogue';
import { listen } from '@artist-watch/runtime/lifecycle/listen';
import { z } from 'zod';
import type { RequestBudget } from './budget/request-budget.js';
import { createPlatformClient } from './create-platform-client.js';
import { type PlatformAnswer, platformAnswerSchema } from './http/answer.js';
import type { DirectReading, PlatformClient } from './port.js';

const readingSchema = z.object({
  artist_platform_id: z.string().min(1),
  depth: z.enum(['shallow', 'deep', 'full']),
  /** Read closely whatever the depth, and directly, as when one is missing from the list. */
  release_platform_ids: z.array(z.string().min(1)),
});

/** Which questions were asked. */
export type RecordedReading = z.output<typeof readingSchema>;

/** What a platform answered to one reading, to be read again elsewhere. */
export const recordingSchema = z.object({
  format: z.literal('artist-watch-recording-1'),
  /** RFC 3339. */
  recorded_at: z.iso.datetime(),
  platform: z.enum(['deezer', 'spotify']),
  reading: readingSchema,
  /** In the order in which they came. */
  answers: z.array(platformAnswerSchema),
});

export type Recording = z.output<typeof recordingSchema>;

export interface ReadingResult {
  readonly observation: Observation;
  /** Of each release that was asked for by itself. */
  readonly direct: readonly { readonly releasePlatformId: string; readonly answer: DirectReading }[];
}

/** Reads as the poller does; the same questions in the same order, so that a recording answers them. */
export async function readAs(
  client: PlatformClient,
  { artist_platform_id: artistId, depth, release_platform_ids: ids }: RecordedReading,
  signal: AbortSignal,
): Promise<ReadingResult> {
  const closely = depth === 'shallow' && ids.length > 0 ? { deepReleaseIds: ids, fullReleaseIds: ids } : depth;
  const observation = await client.readArtist(artistId, { depth: closely, signal });
  const direct = [];
  for (const releasePlatformId of ids) {
    direct.push({ releasePlatformId, answer: await client.readDirectly('release', releasePlatformId, { signal }) });
  }
  return { observation, direct };
}

/** Keeps the answers of one reading. */
export class Recorder {
  readonly #answers: PlatformAnswer[] = [];

  /** To be given to the client as `onAnswer`. */
  readonly onAnswer = (answer: PlatformAnswer): void => {
    this.#answers.push(answer);
  };

  toRecording(platform: Recording['platform'], reading: RecordedReading, recordedAt: Date): Recording {
    const format = 'artist-watch-recording-1';
    return { format, recorded_at: recordedAt.toISOString(), platform, reading, answers: [...this.#answers] };
  }
}

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
