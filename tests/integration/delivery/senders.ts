import { createGotRequest } from '@artist-watch/webhook-worker/adapters/egress/request/got-request';
import type { MakeRequest, RequestTimeouts } from '@artist-watch/webhook-worker/adapters/egress/request/make-request';
import { createNodeRequest } from '@artist-watch/webhook-worker/adapters/egress/request/node-request';

/** What `WEBHOOK_SENDER` chooses between. Whatever is promised of webhooks, each of them keeps. */
export const senders: readonly [setting: string, create: (timeouts: RequestTimeouts) => MakeRequest][] = [
  ['https', createNodeRequest],
  ['got', createGotRequest],
];
