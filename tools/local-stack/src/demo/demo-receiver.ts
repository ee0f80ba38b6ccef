import { createServer, type IncomingMessage } from 'node:http';
import { verify, WebhookSignatureError } from '@artist-watch/webhook-signature';
import { serve } from '../processes/serve.js';

export interface ReceivedWebhook {
  readonly changeId: string;
  readonly summary: string;
  readonly attempt: string;
  readonly signature: string;
  readonly signatureError: string | undefined;
  readonly body: string;
}

export interface DemoReceiver {
  readonly url: string;
  /** Until this is called, the receiver rejects every request. */
  trust(secret: string): void;
  /** Calls the listener after every response, including a 401 for an invalid signature (see `signatureError`). */
  onWebhook(listener: (webhook: ReceivedWebhook) => void): void;
  close(): Promise<void>;
}

const maxBodyBytes = 65_536;

export interface ReceiverPlace {
  readonly host: string;
  readonly port: number;
  readonly publicHost: string;
}

const onThisMachine: ReceiverPlace = { host: '127.0.0.1', port: 0, publicHost: '127.0.0.1' };

/** The receiver verifies the signature before parsing the body. */
export async function startDemoReceiver({ host, port, publicHost } = onThisMachine): Promise<DemoReceiver> {
  const listeners: Array<(webhook: ReceivedWebhook) => void> = [];
  let secret: string | undefined;

  const server = createServer((request, response) => {
    receive(request)
      .then((body) => {
        const signature = String(request.headers['x-service-signature'] ?? '');
        const signatureError = checkSignature(signature, body, secret);
        response.writeHead(signatureError === undefined ? 204 : 401).end();
        const { change_id, summary } = JSON.parse(body.toString('utf8')) as { change_id: string; summary: string };
        const attempt = String(request.headers['x-service-attempt']);
        const text = body.toString('utf8');
        for (const listener of listeners) {
          listener({ changeId: change_id, summary, attempt, signature, signatureError, body: text });
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
    if (size > maxBodyBytes) throw new Error('The body exceeds the maximum webhook size.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function checkSignature(header: string, body: Buffer, secret: string | undefined): string | undefined {
  try {
    verify({ header, body, secret: secret ?? '', now: new Date() });
    return undefined;
  } catch (error) {
    return error instanceof WebhookSignatureError ? error.reason : String(error);
  }
}
