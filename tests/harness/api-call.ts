import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined when there is none, or something else. */
  // biome-ignore lint/suspicious/noExplicitAny: what it is, is what the test finds out.
  readonly body: any;
}

export interface ApiCall {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is when it is text or bytes. */
  readonly body?: unknown;
}

/** One request to whatever listens there, on a connection of its own. */
export function callApi(port: number, path: string, call: ApiCall = {}): Promise<ApiAnswer> {
  const { method = 'GET', key, headers = {}, body } = call;
  const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        ...{ host: '127.0.0.1', port, path, method, agent: false },
        headers: {
          ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
          ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(payload === undefined || 'Transfer-Encoding' in headers
            ? {}
            : { 'Content-Length': Buffer.byteLength(payload) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const { statusCode: status = 0, headers: answered } = response;
          const isJson = text !== '' && /^application\/json\b/.test(answered['content-type'] ?? '');
          resolve({ status, headers: answered, text, body: isJson ? JSON.parse(text) : undefined });
        });
      },
    );
    request.on('error', reject);
    request.end(payload);
  });
}
