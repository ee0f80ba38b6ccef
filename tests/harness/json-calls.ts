/**
 * Sends a request with a bearer token, and a body as JSON.
 * @throws Error unless the response is 2xx.
 */
export async function callJson<Answer = unknown>(
  method: string,
  url: string,
  token: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

/** Returns a removal as another detector reports it to change-ingest. */
export function reportedRemoval(externalId: string, fields: object = {}) {
  return {
    external_id: externalId,
    platform: 'deezer',
    artist_platform_id: '4711',
    artist_name: 'Nina Vale',
    type: 'release_removed',
    entity_type: 'release',
    entity_id: '1',
    entity_name: 'Night Drive',
    detected_at: new Date().toISOString(),
    ...fields,
  };
}
