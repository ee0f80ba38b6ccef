import { untilAborted } from '@artist-watch/runtime/clock';
import type { JsonRequest, JsonResponse, PlatformHttp } from '../http/platform-http.js';
import { badResponse } from '../port.js';
import type { PlatformReader } from '../read-scope.js';
import { interpretSpotify, tokenSchema } from './responses.js';

export interface SpotifyCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A token that is about to expire could be rejected. */
const MARGIN_MS = 60_000;

const REJECTED = Symbol('the token is rejected');

/** Adds an access token (RFC 6749, section 4.4). Concurrent requests share one token request. */
export class AuthorisedReader implements PlatformReader {
  readonly #http: PlatformHttp;
  readonly #accounts: PlatformHttp;
  readonly #authorization: string;
  readonly #clock: { now(): Date };
  #current: { readonly token: string; readonly untilMs: number } | undefined;
  #pending: Promise<string> | undefined;

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

  /** @throws PlatformError; the signal's reason when aborted */
  async read<Result>(request: JsonRequest, interpret: (response: JsonResponse) => Result): Promise<Result> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const token = await this.#token(request.signal);
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      const result = await this.#http.read({ ...request, headers }, (response) =>
        response.status === 401 ? REJECTED : interpret(response),
      );
      if (result !== REJECTED) return result;
      // Another request may have received a newer token.
      if (this.#current?.token === token) this.#current = undefined;
    }
    throw badResponse(`${request.operation}: Spotify also rejects a new access token`);
  }

  async #token(signal: AbortSignal): Promise<string> {
    if (this.#current && this.#clock.now().getTime() < this.#current.untilMs) return this.#current.token;
    this.#pending ??= this.#requestToken().finally(() => {
      this.#pending = undefined;
    });
    return untilAborted(this.#pending, signal);
  }

  async #requestToken(): Promise<string> {
    const requestedAtMs = this.#clock.now().getTime();
    const request: JsonRequest = {
      operation: 'token',
      path: '/api/token',
      headers: { authorization: this.#authorization },
      form: { grant_type: 'client_credentials' },
      // Several callers share the token request, so one caller's signal must not abort it.
      signal: new AbortController().signal,
      urgency: 'due',
    };
    const response = await this.#accounts.read(request, (given) => {
      if (given.status === 400 || given.status === 401) throw badResponse('Spotify rejects the client id or secret');
      return interpretSpotify(tokenSchema, 'token')(given);
    });
    this.#current = { token: response.access_token, untilMs: requestedAtMs + response.expires_in * 1_000 - MARGIN_MS };
    return response.access_token;
  }
}
