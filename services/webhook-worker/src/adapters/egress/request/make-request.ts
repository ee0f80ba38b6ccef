import type { ClientRequest } from 'node:http';
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

/** RFC 9110 section 15.2 allows any number; those who mean well send one or two. */
const MAX_INFORMATIONAL = 16;

/**
 * What may come before a final answer. Informational answers are each parsed and thrown away, so that a flood of them
 * would cost nothing but all of the processor. Switching protocols (101) is a final answer, to a question nobody asked.
 *
 * @param onSwitch the status line said 101.
 */
export function boundInterimAnswers(sent: ClientRequest, onSwitch: () => void): void {
  let count = 0;
  sent.on('information', () => {
    count += 1;
    if (count > MAX_INFORMATIONAL) sent.destroy(new InformationalFlood());
  });
  sent.once('upgrade', (_answer, socket) => {
    onSwitch();
    socket.destroy();
  });
}

class InformationalFlood extends Error {
  readonly code = 'HPE_INFORMATIONAL_FLOOD';
}
