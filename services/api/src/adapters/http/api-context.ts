import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '@artist-watch/domain/account/actor';
import { RequestContext } from '@artist-watch/http/request-context';

/** The two headers that every answer carries (docs/reference/api.md). */
export interface RateHeaders {
  readonly limit: number;
  readonly remaining: number;
}

/** One request of the API and its answer. */
export class ApiContext extends RequestContext {
  principal: Principal | undefined;
  /** Whose request it is now: a key may be revoked, or its plan changed, while a long response is sent. @throws ApiError */
  identify: () => Promise<Principal> = () => Promise.reject(new Error('The request was not admitted.'));
  rate: RateHeaders | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    /** The instant that everything in this request is decided by. */
    readonly now: Date,
    readonly fallbackRate: () => RateHeaders,
    readonly clientAddressOf: (request: IncomingMessage) => string,
  ) {
    super(request, response);
  }

  get clientAddress(): string {
    return this.clientAddressOf(this.request);
  }

  override get accountId(): string | undefined {
    return this.principal?.accountId;
  }

  override get logFields(): Readonly<Record<string, unknown>> {
    return { keyId: this.principal?.keyId, rateRemaining: this.rate?.remaining, clientAddress: this.clientAddress };
  }

  override headersOfAll(): Record<string, string | number> {
    this.rate ??= this.fallbackRate();
    return {
      ...super.headersOfAll(),
      'X-RateLimit-Limit': this.rate.limit,
      'X-RateLimit-Remaining': this.rate.remaining,
    };
  }

  protected override get isIdentified(): boolean {
    return this.rate !== undefined;
  }
}
