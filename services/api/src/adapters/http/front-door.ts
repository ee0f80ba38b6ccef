import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ApiError } from '@artist-watch/contracts/api/api-error';
import { PLANS } from '@artist-watch/domain/account/plans';
import type { Clock } from '@artist-watch/runtime/clock';
import type { Authentication } from '../../application/access/authentication.js';
import type { FixedWindows } from '../../application/access/fixed-windows.js';
import { KeyDirectoryAway } from '../../application/access/known-keys.js';
import { type RateLimit, secondsToWait } from '../../application/access/rate-limit.js';
import type { ClientAddressOf } from './client-address.js';
import { Exchange } from './exchange.js';
import { bearerToken } from './request/bearer-token.js';

export interface FrontDoorOptions {
  readonly authentication: Authentication;
  readonly rateLimit: RateLimit;
  /** What callers without a key are shown, by address. It refuses nobody with a wrong key: that is answered 401. */
  readonly anonymous: FixedWindows;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
  readonly clientAddressOf: ClientAddressOf;
  readonly onBegin: (exchange: Exchange) => void;
  /** Told when an exchange has ended, whichever way. */
  readonly onEnd: (exchange: Exchange, durationMs: number) => void;
  /** What is open to everybody, within the limit of callers without a key. */
  readonly outside: {
    isMeant(url: string | undefined): boolean;
    answer(exchange: Exchange, request: IncomingMessage, response: ServerResponse): void;
  };
  /** Answers what was let in. */
  readonly inside: (exchange: Exchange, request: IncomingMessage, response: ServerResponse) => void;
}

/** The smallest limit, shown to those of whom nothing is known (docs/reference/api.md). */
const ANONYMOUS_LIMIT = PLANS.free.apiRequestsPerHour;

/**
 * Authenticates and counts every request before anything looks at what it asks for (docs/reference/api.md), so
 * that nobody without a key can tell an address that exists from one that does not.
 */
export function frontDoor(options: FrontDoorOptions): RequestListener {
  const { clock, monotonicMs, clientAddressOf, onBegin, onEnd, outside, inside } = options;
  return (request, response) => {
    const startedAtMs = monotonicMs();
    const fallbackRate = () => anonymousRate(exchange, options);
    const exchange = new Exchange(request, response, clock.now(), startedAtMs, fallbackRate, clientAddressOf);
    onBegin(exchange);
    response.once('close', () => onEnd(exchange, monotonicMs() - startedAtMs));
    if (outside.isMeant(request.url)) {
      if (countVisitor(exchange, options)) outside.answer(exchange, request, response);
      return;
    }
    letIn(exchange, options)
      .then(() => inside(exchange, request, response))
      .catch((error: unknown) => exchange.fail(error));
  };
}

async function letIn(exchange: Exchange, { authentication, rateLimit }: FrontDoorOptions): Promise<void> {
  const { headers, httpVersion, rawHeaders } = exchange.request;
  // RFC 9112 section 3.2. Node would refuse it by itself, with an empty body.
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new ApiError('invalid_input', 'A request must have a Host header.');
  }
  refuseRepeated(rawHeaders);
  let directoryTrouble: KeyDirectoryAway | undefined;
  try {
    exchange.identity = await authentication.identify(bearerToken(headers.authorization));
  } catch (error) {
    if (!(error instanceof KeyDirectoryAway)) throw error;
    directoryTrouble = error;
  }
  const holder = exchange.identity ?? directoryTrouble?.lastHolder;
  if (holder) await count(exchange, holder.accountId, PLANS[holder.plan].apiRequestsPerHour, rateLimit);
  if (directoryTrouble) throw directoryTrouble;
  if (exchange.spoiledBy) throw exchange.spoiledBy;
}

/** Node takes the first of several, another server on the way may have taken the last (RFC 9110 section 5.3). */
function refuseRepeated(rawHeaders: readonly string[]): void {
  const seen = { host: 0, authorization: 0 };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase();
    if (name !== 'host' && name !== 'authorization') continue;
    seen[name] += 1;
    if (seen[name] > 1) throw new ApiError('invalid_input', `The header ${name} must be sent once.`);
  }
}

type AccountId = NonNullable<Exchange['identity']>['accountId'];

async function count(exchange: Exchange, accountId: AccountId, limit: number, rateLimit: RateLimit): Promise<void> {
  const { admitted, remaining, resetsInMs } = await rateLimit.count(accountId, limit);
  exchange.rate = { limit, remaining };
  if (!admitted) throw rateLimited(`The plan of this account allows ${limit} requests an hour.`, resetsInMs);
}

/**
 * By a name of its own: who looks up here why his key is refused has often been refused before.
 *
 * @returns false for one who has been answered that it is too much.
 */
function countVisitor(exchange: Exchange, { anonymous, monotonicMs }: FrontDoorOptions): boolean {
  const visitor = `docs ${exchange.clientAddress}`;
  const { admitted, remaining, resetsInMs } = anonymous.count(visitor, ANONYMOUS_LIMIT, monotonicMs());
  exchange.rate = { limit: ANONYMOUS_LIMIT, remaining };
  if (!admitted) {
    exchange.fail(rateLimited(`The documentation allows ${ANONYMOUS_LIMIT} requests an hour.`, resetsInMs));
  }
  return admitted;
}

function rateLimited(message: string, resetsInMs: number): ApiError {
  return new ApiError('rate_limited', message, { headers: { 'Retry-After': String(secondsToWait(resetsInMs)) } });
}

function anonymousRate({ clientAddress }: Exchange, { anonymous, monotonicMs }: FrontDoorOptions) {
  const { remaining } = anonymous.count(clientAddress, ANONYMOUS_LIMIT, monotonicMs());
  return { limit: ANONYMOUS_LIMIT, remaining };
}
