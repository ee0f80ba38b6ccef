import { createServer } from 'node:http';
import type { Observation } from '@artist-watch/domain/catalogue';
import { listen } from '@artist-watch/runtime/settings/start-failure';
import { z } from 'zod';
import type { RequestBudget } from './budget/request-budget.js';
import { createPlatformClient } from './create-platform-client.js';
import { type RecordedResponse, recordedResponseSchema } from './http/platform-http.js';
import type { DirectReading, PlatformClient } from './port.js';

const readingSchema = z.object({
  artist_platform_id: z.string().min(1),
  depth: z.enum(['shallow', 'deep', 'full']),
  /** Releases to read in detail and to request by id. */
  release_platform_ids: z.array(z.string().min(1)),
});

export type RecordedReading = z.output<typeof readingSchema>;

export const recordingSchema = z.object({
  format: z.literal('artist-watch-recording-1'),
  /** RFC 3339. */
  recorded_at: z.iso.datetime(),
  platform: z.enum(['deezer', 'spotify']),
  reading: readingSchema,
  /** In order of arrival. */
  answers: z.array(recordedResponseSchema),
});

export type Recording = z.output<typeof recordingSchema>;

export interface ReadingResult {
  readonly observation: Observation;
  readonly direct: readonly { readonly releasePlatformId: string; readonly answer: DirectReading }[];
}

/** Sends the same requests as the poller, in the same order. */
export async function runReading(
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

export class Recorder {
  readonly #answers: RecordedResponse[] = [];

  readonly onResponse = (answer: RecordedResponse): void => {
    this.#answers.push(answer);
  };

  toRecording(platform: Recording['platform'], reading: RecordedReading, recordedAt: Date): Recording {
    const format = 'artist-watch-recording-1';
    return { format, recorded_at: recordedAt.toISOString(), platform, reading, answers: [...this.#answers] };
  }
}

export interface Replay extends ReadingResult {
  /** The recording has no response to these requests. */
  readonly unanswered: readonly string[];
}

const LOOPBACK = '127.0.0.1';

const UNLIMITED: RequestBudget = { take: async () => undefined, penalise: async () => undefined };

/** Serves a recording on a local port and reads it with the platform's client. */
export async function replay(recording: Recording, signal: AbortSignal): Promise<Replay> {
  const unanswered = new Set<string>();
  const answerTo = responseQueue(recording.answers);
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
    return { ...(await runReading(client, recording.reading, signal)), unanswered: [...unanswered] };
  } finally {
    client.close();
    server.closeAllConnections();
    server.close();
  }
}

/** A repeated request gets its recorded responses in order, and then the last one again and again. */
function responseQueue(answers: readonly RecordedResponse[]): (name: string) => RecordedResponse | undefined {
  const byName = new Map<string, RecordedResponse[]>();
  for (const answer of answers) {
    const name = `${answer.method} ${answer.path}`;
    byName.set(name, [...(byName.get(name) ?? []), answer]);
  }
  return (name) => {
    const waiting = byName.get(name);
    return waiting && waiting.length > 1 ? waiting.shift() : waiting?.[0];
  };
}
