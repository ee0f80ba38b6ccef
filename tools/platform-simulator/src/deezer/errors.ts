import type { Response } from 'express';
import type { TroubleWording } from '../platform-context.js';

/** Deezer answers its errors inside HTTP 200 (developers.deezer.com/api/errors). */
function sendError(response: Response, type: string, message: string, code: number): void {
  response
    .status(200)
    .type('json')
    .send(JSON.stringify({ error: { type, message, code } }));
}

export const deezerTroubles: TroubleWording = {
  noData: (response) => sendError(response, 'DataException', 'no data', 800),
  // No Retry-After: the API does not say how long.
  quota: (response) => sendError(response, 'Exception', 'Quota limit exceeded', 4),
  busy: (response) => sendError(response, 'Exception', 'Service busy', 700),
};

export function sendUnknownPath(response: Response, path: string): void {
  sendError(response, 'InvalidQueryException', `Unknown path components : ${path}`, 600);
}

export function sendMissingParameter(response: Response, name: string): void {
  sendError(response, 'MissingParameterException', `Missing parameters: ${name}`, 501);
}
