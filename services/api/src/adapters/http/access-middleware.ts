import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { FEED_PATH } from '@artist-watch/contracts/api/feed';
import type { Principal } from '@artist-watch/domain/account/actor';
import { PLANS } from '@artist-watch/domain/account/plans';
import { DirectoryAway } from '@artist-watch/http/limit/holder-cache';
import { type FixedWindows, type RateLimit, secondsToWait } from '@artist-watch/http/limit/rate-limit';
import type { RequestsInProgress } from '@artist-watch/http/limit/requests-in-progress';
import {
  bearerToken,
  type ClientAddressOf,
  pathAndQueryOf,
  refuseAmbiguous,
} from '@artist-watch/http/request/request-head';
import type { Clock } from '@artist-watch/runtime/clock';
import type { Authentication } from '../../application/authentication.js';
import { ApiContext } from './api-context.js';
import { BASE_PATH } from './route.js';

export interface AccessMiddlewareOptions {
  readonly authentication: Authentication;
  readonly rateLimit: RateLimit;
  /** By account, after it was counted. */
  readonly inProgress: RequestsInProgress;
  /** What callers without a key are shown, by address. It refuses nobody with a wrong key: that is answered 401. */
  readonly anonymous: FixedWindows;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
  readonly clientAddressOf: ClientAddressOf;
  readonly onBegin: (context: ApiContext) => void;
  /** Called when a context has ended, whichever way. */
  readonly onEnd: (context: ApiContext, durationMs: number) => void;
  /** What is open to everybody, within the limit of callers without a key. */
  readonly publicPages: {
    isMeant(url: string | undefined): boolean;
    answer(context: ApiContext, request: IncomingMessage, response: ServerResponse): void;
  };
  /** Answers what was let in. */
  readonly privateRoutes: (context: ApiContext, request: IncomingMessage, response: ServerResponse) => void;
}

/** The smallest limit, shown to those of whom nothing is known (docs/reference/api.md). */
const ANONYMOUS_LIMIT = PLANS.free.apiRequestsPerHour;

/**
 * Authenticates and counts every request before anything looks at what it asks for (docs/reference/api.md), so
 * that nobody without a key can tell an address that exists from one that does not.
 */
export function accessMiddleware(options: AccessMiddlewareOptions): RequestListener {
  const { clock, monotonicMs, clientAddressOf, onBegin, onEnd, publicPages, privateRoutes } = options;
  return (request, response) => {
    const startedAtMs = monotonicMs();
    const fallbackRate = () => anonymousRate(context, options);
    const context = new ApiContext(request, response, clock.now(), fallbackRate, clientAddressOf);
    onBegin(context);
    response.once('close', () => onEnd(context, monotonicMs() - startedAtMs));
    if (publicPages.isMeant(request.url)) {
      if (countVisitor(context, options)) publicPages.answer(context, request, response);
      return;
    }
    let identified: Promise<Principal>;
    try {
      // Before any promise, so that the rejection stops the parser at the next request of the connection.
      refuseAmbiguous(request);
      identified = identify(context, options);
    } catch (error) {
      context.fail(error);
      return;
    }
    letIn(context, identified, options)
      .then(() => privateRoutes(context, request, response))
      .catch((error: unknown) => context.fail(error));
  };
}

/** @throws ApiError `unauthorized` */
function identify(context: ApiContext, { authentication }: AccessMiddlewareOptions): Promise<Principal> {
  const token = feedTokenOf(context.request);
  context.identify = () =>
    token === undefined
      ? authentication.identify(bearerToken(context.request.headers.authorization))
      : authentication.identifyFeed(token);
  return context.identify();
}

async function letIn(
  context: ApiContext,
  identified: Promise<Principal>,
  { rateLimit, inProgress }: AccessMiddlewareOptions,
): Promise<void> {
  let directoryAway: DirectoryAway<Principal> | undefined;
  try {
    context.principal = await identified;
  } catch (error) {
    if (!(error instanceof DirectoryAway)) throw error;
    directoryAway = error;
  }
  const principal = context.principal ?? directoryAway?.lastHolder;
  if (principal) {
    // Each feed has its own window: a feed program that reads too often takes no request from the account's keys.
    const { accountId, keyId, plan } = principal;
    const isFeed = feedTokenOf(context.request) !== undefined;
    await count(context, isFeed ? keyId : accountId, PLANS[plan].apiRequestsPerHour, rateLimit);
  }
  if (directoryAway) throw directoryAway;
  if (context.brokenBy) throw context.brokenBy;
  if (principal) await inProgress.enter(principal.accountId, context);
}

const FEED_ADDRESS = `${BASE_PATH}${FEED_PATH}?`;

/** Of a request for a feed: on every other address a token is nothing but an unknown parameter. */
function feedTokenOf({ headers, url }: IncomingMessage): string | undefined {
  if (headers.authorization !== undefined) return undefined;
  const target = pathAndQueryOf(url);
  if (!target.startsWith(FEED_ADDRESS)) return undefined;
  return new URLSearchParams(target.slice(FEED_ADDRESS.length)).get('token') ?? undefined;
}

async function count(context: ApiContext, name: string, limit: number, rateLimit: RateLimit): Promise<void> {
  const { admitted, remaining, resetsInMs } = await rateLimit.count(name, limit);
  context.rate = { limit, remaining };
  if (!admitted) throw rateLimited(`Your plan allows ${limit} requests an hour.`, resetsInMs);
}

/**
 * By a name of its own: who looks up here why his key is refused has often been refused before.
 *
 * @returns false for one who has been answered that it is too much.
 */
function countVisitor(context: ApiContext, { anonymous, monotonicMs }: AccessMiddlewareOptions): boolean {
  const visitor = `docs ${context.clientAddress}`;
  const { admitted, remaining, resetsInMs } = anonymous.count(visitor, ANONYMOUS_LIMIT, monotonicMs());
  context.rate = { limit: ANONYMOUS_LIMIT, remaining };
  if (!admitted) {
    context.fail(rateLimited(`The documentation allows ${ANONYMOUS_LIMIT} requests an hour.`, resetsInMs));
  }
  return admitted;
}

function rateLimited(message: string, resetsInMs: number): ApiError {
  return new ApiError('rate_limited', message, { headers: { 'Retry-After': String(secondsToWait(resetsInMs)) } });
}

function anonymousRate({ clientAddress }: ApiContext, { anonymous, monotonicMs }: AccessMiddlewareOptions) {
  const { remaining } = anonymous.count(clientAddress, ANONYMOUS_LIMIT, monotonicMs());
  return { limit: ANONYMOUS_LIMIT, remaining };
}
