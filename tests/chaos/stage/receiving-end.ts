import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CHAT_PATHS,
  type ChatPlatform,
  chatPlatformOf,
  takeChatMessage,
} from '@artist-watch/local-stack/demo/chat-platforms';
import { serve } from '@artist-watch/local-stack/processes/serve';
import type { SeenRequest } from '../ledger/entries.js';
import type { Ledger } from '../ledger/ledger.js';
import { HOSTILE_NAME } from './reported-change.js';
import type { Temper } from './temper.js';

/** Each destination has its own path. */
export interface ReceivingEnd {
  urlOf(name: string): string;
  /** `attend` takes the platform's name for this URL. */
  chatAddressOf(platform: ChatPlatform): string;
  attend(name: string, receiver: Receiver): void;
  close(): Promise<void>;
}

export interface Receiver {
  readonly destinationId: string;
  readonly secret: string;
  readonly temper: Temper;
}

export async function openReceivingEnd(ledger: Ledger): Promise<ReceivingEnd> {
  const receivers = new Map<string, Receiver>();
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    receive(request, response, receivers, ledger).catch(() => response.destroy());
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  const { port, close } = await serve(server);
  return {
    urlOf: (name) => `http://127.0.0.1:${port}/${name}`,
    chatAddressOf: (platform) => `http://127.0.0.1:${port}${CHAT_PATHS[platform]}`,
    attend: (name, receiver) => void receivers.set(name, receiver),
    close,
  };
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  receivers: ReadonlyMap<string, Receiver>,
  ledger: Ledger,
): Promise<void> {
  const arrivedAtMs = Date.now();
  const body = await buffer(request);
  const path = request.url ?? '';
  const platform = chatPlatformOf(path);
  const receiver = receivers.get(platform ?? path.slice(1));
  if (!receiver) return void response.writeHead(404).end();
  const { destinationId, secret, temper } = receiver;
  const { headers } = request;
  const seen = {
    ...{ destinationId, arrivedAtMs, answer: 'none' as const, answeredAtMs: undefined },
    bodyDigest: createHash('sha256').update(body).digest('hex'),
  };
  if (platform) {
    const { answer, shown } = takeChatMessage(platform, { path, headers, body });
    const entry = ledger.see({
      ...seen,
      deliveryId: /chg_[0-9a-f]{32}/.exec(body.toString('utf8'))?.[0] ?? '',
      attempt: 1,
      signatureHolds: shown !== undefined,
      isNameIntact: shown?.includes('<script>alert(1)</script> <!channel> @everyone') ?? false,
    });
    const { delayMs } = temper(entry.deliveryId, 1);
    await sleep(delayMs);
    conclude(entry, request, response, { kind: 'answer', status: answer.status, delayMs }, answer.body);
    return;
  }
  const entry = ledger.see({
    ...seen,
    deliveryId: String(headers['x-service-delivery']),
    attempt: Number(headers['x-service-attempt']),
    signatureHolds: signatureHolds(String(headers['x-service-signature']), body, secret, arrivedAtMs),
    isNameIntact: String(JSON.parse(body.toString('utf8')).entity_name).endsWith(HOSTILE_NAME),
  });
  const behaviour = temper(entry.deliveryId, entry.attempt);
  await sleep(behaviour.delayMs);
  conclude(entry, request, response, behaviour);
}

function conclude(
  entry: SeenRequest,
  request: IncomingMessage,
  response: ServerResponse,
  { kind, status }: ReturnType<Temper>,
  body?: string,
): void {
  // The sender has disconnected and cannot get the response.
  if (request.socket.destroyed) return;
  entry.answeredAtMs = Date.now();
  if (kind === 'cut') {
    entry.answer = 'cut';
    request.socket.resetAndDestroy();
  } else {
    entry.answer = status >= 200 && status <= 299 ? 'ok' : 'failure';
    response.writeHead(status).end(body);
  }
}

/** A copy of the recipe in docs/api/webhooks.md, so that the check does not depend on our code. */
function signatureHolds(header: string, body: Buffer, secret: string, nowMs: number): boolean {
  const parts = new Map(header.split(',').map((part) => part.split('=') as [string, string]));
  const t = parts.get('t') ?? '';
  const digest = createHmac('sha256', secret)
    .update(Buffer.concat([Buffer.from(`${t}.`), body]))
    .digest('hex');
  return digest === parts.get('v1') && Math.abs(nowMs / 1_000 - Number(t)) < 300;
}
