import { createServer, type IncomingMessage } from 'node:http';
import { verify, WebhookSignatureError } from '@artist-watch/webhook-signature';
import { serve } from '../processes/serve.js';

/** A webhook as the receiver saw it. */
export interface ReceivedWebhook {
  readonly changeId: string;
  readonly summary: string;
  readonly attempt: string;
  /** The header as it arrived. */
  readonly signature: string;
  /** What the verifier says of the signature; undefined when it is good. */
  readonly refusedBecause: string | undefined;
  /** As it arrived. */
  readonly body: string;
}

export interface DemoReceiver {
  readonly url: string;
  /** What its owner was shown when the destination was made; without it every request is refused. */
  trust(secret: string): void;
  /** Called for each webhook, after it was answered: 204 for a good signature, 401 for another. */
  onWebhook(listener: (webhook: ReceivedWebhook) => void): void;
  close(): Promise<void>;
}

const maxBodyBytes = 65_536;

/** Where it listens, and by what name the egress reaches it. */
export interface ReceiverPlace {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly publicHost: string;
}

const onThisMachine: ReceiverPlace = { host: '127.0.0.1', port: 0, publicHost: '127.0.0.1' };

/** What a customer would write: a server that checks the signature over the raw body before it believes a word. */
export async function startDemoReceiver({ host, port, publicHost } = onThisMachine): Promise<DemoReceiver> {
  const listeners: Array<(webhook: ReceivedWebhook) => void> = [];
  let secret: string | undefined;

  const server = createServer((request, response) => {
    receive(request)
      .then((body) => {
        const signature = String(request.headers['x-service-signature'] ?? '');
        const refusedBecause = refusal(signature, body, secret);
        response.writeHead(refusedBecause === undefined ? 204 : 401).end();
        const { change_id, summary } = JSON.parse(body.toString('utf8')) as { change_id: string; summary: string };
        const attempt = String(request.headers['x-service-attempt']);
        const text = body.toString('utf8');
        for (const listener of listeners) {
          listener({ changeId: change_id, summary, attempt, signature, refusedBecause, body: text });
        }
      })
      .catch(() => {
        if (!response.headersSent) response.writeHead(400).end();
      });
  });
  const served = await serve(server, { port, host });
  return {
    url: `http://${publicHost}:${served.port}/webhooks`,
    trust(given) {
      secret = given;
    },
    onWebhook(listener) {
      listeners.push(listener);
    },
    close: served.close,
  };
}

async function receive(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error('The body is too large for a webhook.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refusal(header: string, body: Buffer, secret: string | undefined): string | undefined {
  try {
    verify({ header, body, secret: secret ?? '', now: new Date() });
    return undefined;
  } catch (error) {
    return error instanceof WebhookSignatureError ? error.reason : String(error);
  }
}
