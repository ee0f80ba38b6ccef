import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '@artist-watch/domain/account/actor';
import { RequestContext, type RequestFields } from '@artist-watch/http/request-context';

/** Values for the rate limit headers sent with every response (docs/api/requests.md). */
export interface RateHeaders {
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
