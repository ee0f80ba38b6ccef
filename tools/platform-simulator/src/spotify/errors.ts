import type { Response } from 'express';
import type { ErrorFormat } from '../platform-context.js';

export function sendSpotifyError(response: Response, status: number, message: string): void {
  response
    .status(status)
    .type('json')
    .send(JSON.stringify({ error: { status, message } }));
}

export const spotifyErrors: ErrorFormat = {
  noData: (response) => sendSpotifyError(response, 404, 'Resource not found'),
  quota: (response, retryAfterMs) => {
    response.set('Retry-After', String(Math.ceil(retryAfterMs / 1_000)));
    sendSpotifyError(response, 429, 'API rate limit exceeded');
  },
  busy: (response) => sendSpotifyError(response, 503, 'Service unavailable'),
};
