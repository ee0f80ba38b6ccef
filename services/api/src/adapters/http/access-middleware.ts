import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { FEED_PATH } from '@artist-watch/contracts/api/account';
import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Principal } from '@artist-watch/domain/account/actor';
import { PLANS, type PlanName, planTitle } from '@artist-watch/domain/account/plans';
import { DirectoryUnavailable } from '@artist-watch/http/limit/holder-cache';
import {
  type FixedWindows,
  type RateLimit,
  type RequestsInProgress,
  secondsToWait,
  type WindowCount,
} from '@artist-watch/http/limit/rate-limit';
import {
  bearerToken,
  type ClientAddressOf,
  pathAndQueryOf,
  refuseAmbiguous,
} from '@artist-watch/http/request/request-head';
import { RequestContext, type RequestFields } from '@artist-watch/http/request-context';
import type { Clock } from '@artist-watch/runtime/clock';
import type { Authentication } from '../../application/authentication.js';
import { BASE_PATH } from './route.js';

/** Values for the rate limit headers sent with every response (docs/api/requests.md). */
interface RateHeaders {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsInMs: number;
}

export class ApiContext extends RequestContext {
  principal: Principal | undefined;
  /**
   * Authenticates the caller again during a long response, because the API key or the plan can change.
   * @throws ApiError
   */
  identify: () => Promise<Principal> = () => Promise.reject(new Error('The request was not admitted.'));
  rate: RateHeaders | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    /** The time used for all decisions about this request. */
    readonly now: Date,
    readonly fallbackRate: () => RateHeaders,
    readonly clientAddressOf: (request: IncomingMessage) => string,
  ) {
    super(request, response);
  }

  get clientAddress(): string {
    return this.clientAddressOf(this.request);
  }

  override get logFields(): RequestFields {
    const { principal, rate, clientAddress } = this;
    const { accountId, keyId } = principal ?? {};
    return { accountId, keyId, rateRemaining: rate?.remaining, clientAddress };
  }

  override headersOfAll(): Record<string, string | number> {
    this.rate ??= this.fallbackRate();
    return {
      ...super.headersOfAll(),
      'X-RateLimit-Limit': this.rate.limit,
      'X-RateLimit-Remaining': this.rate.remaining,
      'X-RateLimit-Reset': Math.ceil(this.rate.resetsInMs / 1_000),
    };
  }

  protected override get isIdentified(): boolean {
    return this.rate !== undefined;
  }
}

export interface PublicPage {
  isMeant(url: string | undefined): boolean;
  answer(context: ApiContext, request: IncomingMessage, response: ServerResponse): void;
}

interface AccessMiddlewareOptions {
  readonly authentication: Authentication;
  readonly rateLimit: RateLimit;
  /** Checked after the rate limit, so requests rejected here still count toward the rate limit. */
  readonly inProgress: RequestsInProgress;
  /**
   * Counts requests by IP address. API requests without a valid key are counted too, but they get a 401, never a 429.
   */
  readonly anonymous: FixedWindows;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
  readonly clientAddressOf: ClientAddressOf;
  readonly onEnd: (context: ApiContext, durationMs: number) => void;
  readonly publicPages: readonly PublicPage[];
  readonly privateRoutes: (context: ApiContext, request: IncomingMessage, response: ServerResponse) => void;
}

/** The rate limit reported to callers without a valid API key (docs/api/requests.md). */
const ANONYMOUS_LIMIT = PLANS.free.apiRequestsPerHour;

/** Hourly limit per IP address. One visit sends seven requests, and a whole office can share one address. */
const DOCS_LIMIT = 3_000;

/** Authenticates and counts requests before routing (docs/api/requests.md), so that strangers cannot discover URLs. */
export function accessMiddleware(options: AccessMiddlewareOptions): RequestListener {
  const { clock, monotonicMs, clientAddressOf, onEnd, publicPages, privateRoutes } = options;
  return (request, response) => {
    const startedAtMs = monotonicMs();
    const fallbackRate = () => anonymousRate(context, options);
    const context = new ApiContext(request, response, clock.now(), fallbackRate, clientAddressOf);
    response.once('close', () => onEnd(context, monotonicMs() - startedAtMs));
    const page = publicPages.find(({ isMeant }) => isMeant(request.url));
    if (page) {
      if (countVisitor(context, options)) page.answer(context, request, response);
      return;
    }
    let identified: Promise<Principal>;
    try {
      // Runs before the first await, so that a rejection stops the parser before it reads the connection's next
      // request.
      refuseAmbiguous(request);
      identified = identify(context, options);
    } catch (error) {
      context.fail(error);
      return;
    }
    admit(context, identified, options)
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

async function admit(
  context: ApiContext,
  identified: Promise<Principal>,
  { rateLimit, inProgress }: AccessMiddlewareOptions,
): Promise<void> {
  let directoryUnavailable: DirectoryUnavailable<Principal> | undefined;
  try {
    context.principal = await identified;
  } catch (error) {
    if (!(error instanceof DirectoryUnavailable)) throw error;
    directoryUnavailable = error;
  }
  const principal = context.principal ?? directoryUnavailable?.lastHolder;
  if (principal) {
    // Feeds have their own limit, so that a busy feed reader doesn't use up the limit for API keys.
    const isFeed = feedTokenOf(context.request) !== undefined;
    await count(context, isFeed ? principal.keyId : principal.accountId, principal.plan, rateLimit);
  }
  if (directoryUnavailable) throw directoryUnavailable;
  if (context.brokenBy) throw context.brokenBy;
  if (principal) await inProgress.enter(principal.accountId, context);
}

const FEED_ADDRESS = `${BASE_PATH}${FEED_PATH}?`;

/** Returns the token from a feed request. On other URLs, `token` is an unknown parameter. */
function feedTokenOf({ headers, url }: IncomingMessage): string | undefined {
  if (headers.authorization !== undefined) return undefined;
  const target = pathAndQueryOf(url);
  if (!target.startsWith(FEED_ADDRESS)) return undefined;
  return new URLSearchParams(target.slice(FEED_ADDRESS.length)).get('token') ?? undefined;
}

async function count(context: ApiContext, name: string, plan: PlanName, rateLimit: RateLimit): Promise<void> {
  const limit = PLANS[plan].apiRequestsPerHour;
  const counted = await rateLimit.count(name, limit);
  context.rate = { limit, ...counted };
  if (!counted.admitted) throw rateLimited(limit, `on ${planTitle(plan)}`, counted);
}

/** Counts a request for a public page. @returns false if it sent a 429 */
function countVisitor(context: ApiContext, { anonymous, monotonicMs }: AccessMiddlewareOptions): boolean {
  // Requests with rejected API keys don't count toward this limit, because their senders may need the documentation
  // next.
  const counted = anonymous.count(`docs ${context.clientAddress}`, DOCS_LIMIT, monotonicMs());
  context.rate = { limit: DOCS_LIMIT, ...counted };
  if (!counted.admitted) context.fail(rateLimited(DOCS_LIMIT, 'for public pages', counted));
  return counted.admitted;
}

function rateLimited(limit: number, where: string, { resetsInMs }: WindowCount): ApiError {
  const seconds = secondsToWait(resetsInMs);
  return new ApiError(
    'rate_limited',
    `Rate limit reached: ${grouped(limit)} requests an hour ${where}. Try again in ${grouped(seconds)} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}

function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

function anonymousRate({ clientAddress }: ApiContext, { anonymous, monotonicMs }: AccessMiddlewareOptions) {
  return { limit: ANONYMOUS_LIMIT, ...anonymous.count(clientAddress, ANONYMOUS_LIMIT, monotonicMs()) };
}
