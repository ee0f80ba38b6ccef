import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler, Response } from 'express';
import { askedOf, clientOf, type PlatformContext, rememberAsked, type TroubleWording } from '../platform-context.js';

const CAPTIVE_PAGE = '<!doctype html><html><title>Sign in</title><p>Please sign in to this network.</p></html>';

/** Counts the request, holds it to the quota, and lets the quirks strike that need no answer of the platform. */
export function misbehave(context: PlatformContext, wording: TroubleWording): RequestHandler {
  return async (request, response, next) => {
    const path = request.originalUrl;
    rememberAsked(response, { path, ordinal: context.log.record(path) });
    const { dice } = context;
    const asked = askedOf(response);

    const retryAfterMs = context.quota.admit(clientOf(request), context.clock.now().getTime());
    if (retryAfterMs > 0) return wording.quota(response, retryAfterMs);

    const slow = dice.strike('slow', asked);
    if (slow) await sleep(slow.delayMs, undefined, { ref: false });

    if (dice.strike('cutConnection', asked)) return void request.socket.destroy();
    const serverError = dice.strike('serverError', asked);
    if (serverError) return sendGatewayPage(response, serverError.status);
    const tooMany = dice.strike('tooManyRequests', asked);
    if (tooMany) {
      response.set('Retry-After', String(tooMany.retryAfterSeconds));
      return sendGatewayPage(response, 429);
    }
    if (dice.strike('redirect', asked)) return response.redirect(302, '/sign-in');
    if (dice.strike('quotaError', asked)) return wording.quota(response, 5_000);
    if (dice.strike('busyError', asked)) return wording.busy(response);
    if (dice.strike('noDataError', asked)) return wording.noData(response);
    if (dice.strike('notJson', asked)) return void response.status(200).type('html').send(CAPTIVE_PAGE);
    next();
  };
}

/** One of the ways in which a page in the middle of a list fails. */
export function failLaterPage(context: PlatformContext, response: Response, wording: TroubleWording): boolean {
  const asked = askedOf(response);
  if (!context.dice.strike('laterPageFails', asked)) return false;
  const ways = [
    () => wording.noData(response),
    () => wording.busy(response),
    () => sendGatewayPage(response, 502),
    () => void response.socket?.destroy(),
  ];
  context.dice.random('laterPageFails', asked).pick(ways)();
  return true;
}

/** What is answered for an entity: itself, or the next one of its list, which exists but is not what was asked for. */
export function answeredFor<Entity extends { readonly id: string }>(
  { dice }: PlatformContext,
  response: Response,
  one: Entity,
  list: () => readonly Entity[],
): Entity {
  if (!dice.strike('relink', askedOf(response))) return one;
  const entities = list();
  return entities[(entities.findIndex(({ id }) => id === one.id) + 1) % entities.length] ?? one;
}

/** Whether something that was removed is still answered when it is asked for directly. */
export function stillAnswers({ dice }: PlatformContext, response: Response, id: string): boolean {
  return dice.strikeHeld('removedStillAnswers', askedOf(response).path, id) !== undefined;
}

function sendGatewayPage(response: Response, status: number): void {
  response.status(status).type('html').send(`<html><body><h1>${status}</h1></body></html>`);
}
