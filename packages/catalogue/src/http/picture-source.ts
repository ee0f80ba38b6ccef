import type { Platform } from '@artist-watch/domain/catalogue';
import type { PictureOf } from '@artist-watch/domain/platform/picture-address';
import { picturePath } from '@artist-watch/domain/platform/picture-address';
import { type PictureProblem, type PictureType, readPictureFile } from '@artist-watch/domain/platform/picture-file';
import type { Got } from 'got';
import { type Agents, closeAgents, createAgents } from './agents.js';
import { RequestDeadline } from './deadline.js';

export type PictureFetched =
  | { readonly kind: 'fetched'; readonly type: PictureType; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly problem: PictureProblem };

export interface PictureSourceOptions {
  /** Where the platform serves its pictures. */
  readonly origin: string;
  /** The forward proxy, as for polling; direct without it. */
  readonly proxyUrl?: string | undefined;
  /** For one picture, connection included; 15 s unless given. */
  readonly timeoutMs?: number;
}

/** Covers of 640 pixels are 30 to 200 kB. */
const MAX_PICTURE_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 4;
const TIMEOUT_MS = 15_000;

/**
 * Pictures of a platform, from its own server of pictures and nowhere else: no redirect is followed, and the path is made
 * of an id that has the platform's form. They are no requests to its API, and do not count against that budget.
 */
export class PictureSource {
  readonly #timeoutMs: number;
  readonly #agents: Agents;
  readonly #origin: string;
  #got: Promise<Got> | undefined;

  constructor({ origin, proxyUrl, timeoutMs = TIMEOUT_MS }: PictureSourceOptions) {
    this.#origin = origin;
    this.#timeoutMs = timeoutMs;
    this.#agents = createAgents({ proxyUrl, maxConnections: MAX_CONNECTIONS, connectTimeoutMs: timeoutMs });
  }

  /** got takes 10 MB, and is loaded with the first picture. */
  async #openGot(): Promise<Got> {
    const { default: got } = await import('got');
    return got.extend({
      prefixUrl: this.#origin,
      agent: { http: this.#agents.http, https: this.#agents.https },
      headers: { 'user-agent': 'artist-watch/0.1', accept: 'image/jpeg, image/png', 'accept-encoding': 'identity' },
      // What is packed all the same is no picture: it is never unpacked.
      decompress: false,
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      responseType: 'buffer',
    });
  }

  /** Never rejects but with the signal's reason. */
  async fetch(platform: Platform, of: PictureOf, contentId: string, signal: AbortSignal): Promise<PictureFetched> {
    const path = picturePath(platform, of, contentId);
    if (path === undefined) return failed('unknown_id');
    const deadline = new RequestDeadline(signal, this.#timeoutMs);
    let isTooLarge = false;
    try {
      this.#got ??= this.#openGot();
      const got = await this.#got;
      const sent = got<Buffer>(path.slice(1), { signal: deadline.signal });
      void sent.on('downloadProgress', ({ transferred, total = 0 }) => {
        isTooLarge ||= Math.max(transferred, total) > MAX_PICTURE_BYTES;
        if (isTooLarge) sent.cancel();
      });
      const { statusCode, body } = await sent;
      if (statusCode === 404 || statusCode === 410) return failed('absent');
      if (statusCode !== 200) return failed('unreachable');
      const file = readPictureFile(body);
      return file ? { kind: 'fetched', type: file.type, bytes: body } : failed('not_a_picture');
    } catch {
      signal.throwIfAborted();
      return failed(isTooLarge ? 'too_large' : 'unreachable');
    } finally {
      deadline.end();
    }
  }

  close(): void {
    closeAgents(this.#agents);
  }
}

function failed(problem: PictureProblem): PictureFetched {
  return { kind: 'failed', problem };
}
