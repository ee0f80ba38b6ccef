/** A customer's view of the API: exactly what somebody with a key and HTTP can do. */
export interface ApiClient {
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body: unknown): Promise<Answer>;
}

/** @throws an Error that quotes the answer, for every status but 2xx. */
export function apiClient(apiUrl: string, apiKey: string): ApiClient {
  async function ask<Answer>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return JSON.parse(text) as Answer;
  }
  return {
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
  };
}
