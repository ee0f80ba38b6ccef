import type { WebhookRequest } from '@artist-watch/delivery/decide/ports';
import type { SendResult } from '@artist-watch/domain/delivery/attempt-classification';
import type { EgressRoute } from '../egress-route.js';

/** One request through one proxy. */
export interface RequestReport {
  readonly result: SendResult;
  readonly responseExcerpt: string | null;
  /** The address of the proxy that took the connection, where one did. */
  readonly peer?: string | undefined;
}

/**
 * Makes one POST: no retry, no redirect, no decompression. The status line decides; of the body a little is kept, and
 * the rest is not waited for. Never rejects.
 */
export type MakeRequest = (route: EgressRoute, request: WebhookRequest) => Promise<RequestReport>;

export interface RequestTimeouts {
  /** From the moment the request was sent until its status line (docs/reference/webhooks.md: 10 s). */
  readonly responseMs: number;
  /** Over all: tunnel, handshake, request and answer. */
  readonly totalMs: number;
}
