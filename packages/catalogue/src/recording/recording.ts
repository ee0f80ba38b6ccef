import type { Observation } from '@artist-watch/domain/catalogue';
import { z } from 'zod';
import { type PlatformAnswer, platformAnswerSchema } from '../http/platform-answer.js';
import type { DirectReading, PlatformClient } from '../port.js';

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
