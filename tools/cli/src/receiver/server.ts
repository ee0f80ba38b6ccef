import { createServer, type IncomingMessage, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '@artist-watch/runtime/clock';
import { type ReceivedWebhook, readWebhook } from './received-webhook.js';

export interface ReceiverBehaviour {
  readonly secrets: readonly string[];
  readonly status: number;
  readonly delayMs: number;
}

const MAX_BODY_BYTES = 1_048_576;

export function createReceiver(
  { secrets, status, delayMs }: ReceiverBehaviour,
  clock: Clock,
  onReceived: (received: ReceivedWebhook) => void,
): Server {
  const stopped = new AbortController();
  const server = createServer(async (request, response) => {
    try {
      const body = await readBody(request);
      if (!body) return void response.writeHead(413, { Connection: 'close' }).end();
      const { method = '', url: path = '', headers } = request;
      onReceived(readWebhook({ method, path, headers, body, at: clock.now() }, secrets, status));
      if (delayMs > 0) await delay(delayMs, undefined, { signal: stopped.signal });
      response.writeHead(status).end();
    } catch {
      // Either the sender closed the connection, or the receiver is stopping.
      response.destroy();
    }
  });
  server.on('close', () => stopped.abort());
  return server;
}

/** Returns undefined if the body is longer than any webhook can be. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
