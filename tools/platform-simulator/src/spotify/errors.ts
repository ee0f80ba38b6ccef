import type { Response } from 'express';
import type { TroubleWording } from '../platform-context.js';

/** The Web API's regular error object, under the status of the same number. */
export function sendSpotifyError(response: Response, status: number, message: string): void {
  response
    .status(status)
    .type('json')
    .send(JSON.stringify({ error: { status, message } }));
}

export const spotifyTroubles: TroubleWording = {
  noData: (response) => sendSpotifyError(response, 404, 'Resource not found'),
  quota: (response, retryAfterMs) => {
    response.set('Retry-After', String(Math.ceil(retryAfterMs / 1_000)));
    sendSpotifyError(response, 429, 'API rate limit exceeded');
  },
  busy: (response) => sendSpotifyError(response, 503, 'Service unavailable'),
};
