import { createHash } from 'node:crypto';
import type { Clock } from '@artist-watch/runtime/clock';
import type { RequestHandler } from 'express';
import { type PlatformContext, requestedPath } from '../platform-context.js';
import { sendSpotifyError } from './errors.js';

const LIFETIME_SECONDS = 3_600;

/** Client credentials flow (RFC 6749 section 4.4). Any client gets a token, valid for one hour. */
export class SpotifyTokens {
  readonly #clock: Clock;
  readonly #expiresAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly issue: RequestHandler = (request, response) => {
    const [, credentials] = /^Basic (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const [id, secret] = Buffer.from(credentials ?? '', 'base64')
      .toString()
      .split(':');
    if (!id || !secret) {
      response.status(400).json({ error: 'invalid_client', error_description: 'Invalid client' });
      return;
    }
    if ((request.body as { grant_type?: unknown } | undefined)?.grant_type !== 'client_credentials') {
      response.status(400).json({ error: 'unsupported_grant_type', error_description: 'grant_type must be given' });
      return;
    }
    const nowMs = this.#clock.now().getTime();
    const token = createHash('sha256').update(`${id} ${this.#expiresAtMs.size} ${nowMs}`).digest('base64url');
    this.#expiresAtMs.set(token, nowMs + LIFETIME_SECONDS * 1_000);
    response.json({ access_token: token, token_type: 'Bearer', expires_in: LIFETIME_SECONDS });
  };

  check(context: PlatformContext): RequestHandler {
    return (request, response, next) => {
      const [, token] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
      if (token === undefined) return sendSpotifyError(response, 401, 'No token provided');
      const expiresAtMs = this.#expiresAtMs.get(token);
      if (expiresAtMs === undefined) return sendSpotifyError(response, 401, 'Invalid access token');
      const expired = context.dice.strike('expiredToken', requestedPath(response)) !== undefined;
      if (expired) this.#expiresAtMs.delete(token);
      if (expired || expiresAtMs <= this.#clock.now().getTime()) {
        return sendSpotifyError(response, 401, 'The access token expired');
      }
      next();
    };
  }
}
