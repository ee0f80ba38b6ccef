import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler, Response } from 'express';
import {
  clientAddress,
  type ErrorFormat,
  type PlatformContext,
  rememberPath,
  requestedPath,
} from '../platform-context.js';

const CAPTIVE_PAGE = '<!doctype html><html><title>Sign in</title><p>Please sign in to this network.</p></html>';

/** Counts the request, enforces the quota, and applies the quirks that don't need a response body. */
export function misbehave(context: PlatformContext, errors: ErrorFormat): RequestHandler {
  return async (request, response, next) => {
    const path = request.originalUrl;
    rememberPath(response, { path, ordinal: context.log.record(path) });
    const { dice } = context;
    const requested = requestedPath(response);

    const retryAfterMs = context.quota.admit(clientAddress(request), context.clock.now().getTime());
    if (retryAfterMs > 0) return errors.quota(response, retryAfterMs);

    const slow = dice.strike('slow', requested);
    if (slow) await sleep(slow.delayMs, undefined, { ref: false });

    if (dice.strike('cutConnection', requested)) return void request.socket.destroy();
    const serverError = dice.strike('serverError', requested);
    if (serverError) return sendGatewayPage(response, serverError.status);
    const tooMany = dice.strike('tooManyRequests', requested);
    if (tooMany) {
      response.set('Retry-After', String(tooMany.retryAfterSeconds));
      return sendGatewayPage(response, 429);
    }
    if (dice.strike('redirect', requested)) return response.redirect(302, '/sign-in');
    if (dice.strike('quotaError', requested)) return errors.quota(response, 5_000);
    if (dice.strike('busyError', requested)) return errors.busy(response);
    if (dice.strike('noDataError', requested)) return errors.noData(response);
    if (dice.strike('notJson', requested)) return void response.status(200).type('html').send(CAPTIVE_PAGE);
    next();
  };
}

export function failLaterPage(context: PlatformContext, response: Response, errors: ErrorFormat): boolean {
  const requested = requestedPath(response);
  if (!context.dice.strike('laterPageFails', requested)) return false;
  const ways = [
    () => errors.noData(response),
    () => errors.busy(response),
    () => sendGatewayPage(response, 502),
    () => void response.socket?.destroy(),
  ];
  context.dice.random('laterPageFails', requested).pick(ways)();
  return true;
}

export function maybeRelinked<Entity extends { readonly id: string }>(
  { dice }: PlatformContext,
  response: Response,
  one: Entity,
  list: () => readonly Entity[],
): Entity {
  if (!dice.strike('relink', requestedPath(response))) return one;
  const entities = list();
  return entities[(entities.findIndex(({ id }) => id === one.id) + 1) % entities.length] ?? one;
}

export function isStillServed({ dice }: PlatformContext, response: Response, id: string): boolean {
  return dice.strikeForKey('removedStillAnswers', requestedPath(response).path, id) !== undefined;
}

function sendGatewayPage(response: Response, status: number): void {
  response.status(status).type('html').send(`<html><body><h1>${status}</h1></body></html>`);
}
