import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Undefined if the body is empty or not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the test checks the type.
  readonly body: any;
}

export interface ApiCall {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent unchanged, and anything else as JSON. */
  readonly body?: unknown;
}

export async function callApi(port: number, path: string, call: ApiCall = {}): Promise<ApiAnswer> {
  const { method = 'GET', key, headers = {}, body } = call;
  const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const answer = await ask(port, method, path, payload, {
    ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(payload === undefined || 'Transfer-Encoding' in headers
      ? {}
      : { 'Content-Length': Buffer.byteLength(payload) }),
    ...headers,
  });
  const isJson = answer.text !== '' && /^application\/json\b/.test(answer.headers['content-type'] ?? '');
  return { ...answer, body: isJson ? JSON.parse(answer.text) : undefined };
}

/** Does not follow redirects. */
export function ask(
  port: number,
  method: string,
  path: string,
  body: string | Buffer | undefined,
  headers: OutgoingHttpHeaders,
): Promise<Omit<ApiAnswer, 'body'>> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, agent: false, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, headers: answered, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
