import { untilAborted } from '@artist-watch/runtime/abort';
import type { JsonAnswer } from '../http/answer.js';
import type { JsonRequest, PlatformHttp } from '../http/platform-http.js';
import { badAnswer } from '../platform-error.js';
import type { PlatformReader } from '../read-scope.js';
import { tokenSchema } from './answers.js';
import { interpretSpotify } from './interpret.js';

export interface SpotifyCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A token is not used in its last minute: the request would reach the platform after its end. */
const MARGIN_MS = 60_000;

const REFUSED = Symbol('the token is refused');

/**
 * Sends requests with the access token of the client-credentials flow (RFC 6749 section 4.4), and once more with a new one
 * where it is refused before its time. However many requests need one, it is asked for once.
 */
export class AuthorisedReader implements PlatformReader {
  readonly #http: PlatformHttp;
  readonly #accounts: PlatformHttp;
  readonly #authorization: string;
  readonly #clock: { now(): Date };
  #current: { readonly token: string; readonly untilMs: number } | undefined;
  #asking: Promise<string> | undefined;

  /** @param accounts where tokens are issued. */
  constructor(
    http: PlatformHttp,
    accounts: PlatformHttp,
    { clientId, clientSecret }: SpotifyCredentials,
    clock: { now(): Date },
  ) {
    this.#http = http;
    this.#accounts = accounts;
    this.#authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    this.#clock = clock;
  }

  /** @throws PlatformError; the signal's reason when it is aborted, while the others go on waiting for the token. */
  async read<Result>(request: JsonRequest, interpret: (answer: JsonAnswer) => Result): Promise<Result> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const token = await this.#token(request.signal);
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      const result = await this.#http.read({ ...request, headers }, (answer) =>
        answer.status === 401 ? REFUSED : interpret(answer),
      );
      if (result !== REFUSED) return result;
      // Another one that came meanwhile is kept.
      if (this.#current?.token === token) this.#current = undefined;
    }
    throw badAnswer(`${request.operation}: a new access token is refused as well`);
  }

  async #token(signal: AbortSignal): Promise<string> {
    if (this.#current && this.#clock.now().getTime() < this.#current.untilMs) return this.#current.token;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return untilAborted(this.#asking, signal);
  }

  async #ask(): Promise<string> {
    const askedAtMs = this.#clock.now().getTime();
    const request: JsonRequest = {
      operation: 'token',
      path: '/api/token',
      headers: { authorization: this.#authorization },
      form: { grant_type: 'client_credentials' },
      // It is nobody's own request; its deadline ends it.
      signal: new AbortController().signal,
      // Whoever comes first asks for all, and a reading that is due may be among those.
      urgency: 'due',
    };
    const answer = await this.#accounts.read(request, (given) => {
      if (given.status === 400 || given.status === 401) throw badAnswer('the client id and secret are refused');
      return interpretSpotify(tokenSchema, 'token')(given);
    });
    this.#current = { token: answer.access_token, untilMs: askedAtMs + answer.expires_in * 1_000 - MARGIN_MS };
    return answer.access_token;
  }
}
