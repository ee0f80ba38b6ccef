import { orAbsent } from '../evidence.js';
import type { JsonAnswer } from '../http/json-answer.js';
import { PlatformHttp, type PlatformHttpOptions } from '../http/platform-http.js';
import { firstIssue } from '../parse-problem.js';
import { badAnswer, notFound } from '../platform-error.js';
import type { IsrcSource, ReadOptions, TracksFound } from '../port.js';
import { isrcSchema, notFoundSchema } from './answers.js';
import { toTrack } from './to-track.js';

export interface MusicBrainzClientOptions extends Omit<PlatformHttpOptions, 'baseUrl' | 'userAgent'> {
  /** `https://musicbrainz.org` unless given. */
  readonly baseUrl?: string | undefined;
  /** MusicBrainz asks for a name, a version and a way to reach who runs it: `artist-watch/1.0 (ops@example.com)`. */
  readonly userAgent: string;
}

const MUSICBRAINZ = 'https://musicbrainz.org';
const INCLUDED = 'artist-credits+releases+release-groups';

/** An open encyclopedia: it knows recordings that the platform in use has never had, or no longer has. */
export class MusicBrainzClient implements IsrcSource {
  readonly sourceName = 'MusicBrainz';
  readonly #http: PlatformHttp;

  constructor(options: MusicBrainzClientOptions) {
    this.#http = new PlatformHttp({ ...options, baseUrl: options.baseUrl ?? MUSICBRAINZ });
  }

  /** The recordings that carry the code: most often one. Their ids are those of MusicBrainz. */
  async findTracksByIsrc(isrc: string, { signal }: ReadOptions): Promise<TracksFound> {
    const path = `/ws/2/isrc/${encodeURIComponent(isrc)}?inc=${INCLUDED}&fmt=json`;
    const answer = await orAbsent(
      this.#http.read({ operation: 'isrc', path, signal }, (given) => interpret(given, `isrc ${isrc}`)),
    );
    if (answer === undefined) return { kind: 'not_found' };
    if (answer.isrc !== isrc) throw badAnswer(`isrc ${isrc}: answered with ${answer.isrc}`);
    const [first, ...others] = answer.recordings.map((recording) => toTrack(recording, isrc));
    return first ? { kind: 'found', tracks: [first, ...others] } : { kind: 'not_found' };
  }

  close(): void {
    this.#http.close();
  }
}

function interpret({ status, body }: JsonAnswer, what: string) {
  if (status === 404 && notFoundSchema.safeParse(body).success) throw notFound(what);
  if (status !== 200) throw badAnswer(`${what}: ${status}`);
  const parsed = isrcSchema.safeParse(body);
  if (!parsed.success) throw badAnswer(`${what}: ${firstIssue(parsed.error)}`);
  return parsed.data;
}
