import type { Platform } from '@artist-watch/domain/catalogue';
import {
  type PictureProblem,
  type PictureSubject,
  type PictureType,
  picturePath,
  readPictureFile,
} from '@artist-watch/domain/platform/picture-file';
import { BoundedHttp, NoResponse } from './bounded-http.js';

export type PictureFetched =
  | { readonly kind: 'fetched'; readonly type: PictureType; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly problem: PictureProblem };

export interface PictureSourceOptions {
  readonly origin: string;
  readonly proxyUrl?: string | undefined;
  readonly timeoutMs?: number;
}

/** A 640 × 640 pixel cover takes 30 to 200 kB. */
const MAX_PICTURE_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 4;
const TIMEOUT_MS = 15_000;

/** Fetches pictures only from the platform's own server. These requests do not count against the API budget. */
export class PictureSource {
  readonly #origin: string;
  readonly #http: BoundedHttp;

  constructor({ origin, proxyUrl, timeoutMs = TIMEOUT_MS }: PictureSourceOptions) {
    this.#origin = origin.replace(/\/$/, '');
    this.#http = new BoundedHttp({
      proxyUrl,
      timeoutMs,
      maxConnections: MAX_CONNECTIONS,
      maxBytes: MAX_PICTURE_BYTES,
      headers: { accept: 'image/jpeg, image/png', 'accept-encoding': 'identity' },
      // The server sends pictures uncompressed, so a compressed response is not a picture.
      decompress: false,
    });
  }

  /** Rejects only if the signal aborts, with the signal's reason. */
  async fetch(platform: Platform, of: PictureSubject, contentId: string, signal: AbortSignal): Promise<PictureFetched> {
    const path = picturePath(platform, of, contentId);
    if (path === undefined) return failed('unknown_id');
    try {
      const { status, body } = await this.#http.send(this.#origin + path, { signal });
      if (status === 404 || status === 410) return failed('absent');
      if (status !== 200) return failed('unreachable');
      const file = readPictureFile(body);
      return file ? { kind: 'fetched', type: file.type, bytes: body } : failed('not_a_picture');
    } catch (error) {
      signal.throwIfAborted();
      return failed(error instanceof NoResponse && error.problem === 'too_large' ? 'too_large' : 'unreachable');
    }
  }

  close(): void {
    this.#http.close();
  }
}

function failed(problem: PictureProblem): PictureFetched {
  return { kind: 'failed', problem };
}
