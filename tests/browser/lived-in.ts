import { startReceiver } from '@artist-watch/harness/receiver';
import { until } from '@artist-watch/harness/until';
import type { Stage } from './stage.js';

/** An account in which everything has happened that a page can show, bad names included. */
export interface LivedIn {
  /** Watched, and read once. */
  readonly artists: ReadonlyArray<{ readonly id: string; readonly platformId: string; readonly name: string }>;
  close(): Promise<void>;
}

const HOSTILE = '<script>alert(1)</script> "onload="alert(2)" \u202egnp.exe =HYPERLINK("x")';

const CHANGES = [
  ['release_removed', 'release', 'Flowers'],
  ['track_removed', 'track', 'Flowers (Live)'],
  ['isrc_changed', 'track', 'A Song'],
  ['artwork_changed', 'release', 'Winter'],
  [
    'release_added',
    'release',
    'Summer, a very long title that goes on and on until it does not fit into one line any more',
  ],
  ['label_changed', 'release', HOSTILE],
] as const;

export async function liveIn({ stack }: Stage): Promise<LivedIn> {
  const [good, bad] = await Promise.all([
    startReceiver({ script: { status: 204 } }),
    startReceiver({ script: { status: 500, body: 'Traceback (most recent call last):\n  <b>boom</b>' } }),
  ]);
  const { artists: candidates } = await control<{ artists: ReadonlyArray<{ id: string; releases: unknown[] }> }>(
    '/state',
  );
  const chosen = candidates.filter(({ releases }) => releases.length >= 6).slice(0, 5);
  for (const { id } of chosen) await api('POST', '/artists', { platform_id: id });
  for (const { url } of [good, bad])
    await api('POST', '/destinations', { url, name: url === good.url ? 'Warehouse' : HOSTILE });
  const off = await api<{ id: string }>('POST', '/destinations', {
    url: `${good.url}/off`,
    rules: { min_severity: 'critical' },
  });
  await api('POST', `/destinations/${off.id}/disable`);
  const artists = await until(
    'a first reading of all artists',
    async () => {
      const { data } = await api<{
        data: ReadonlyArray<{ id: string; platform_id: string; name: string; status: string }>;
      }>('GET', '/artists');
      return data.length >= chosen.length && data.every(({ status }) => status === 'active') && data;
    },
    60_000,
  );
  const ingested = artists.flatMap(({ platform_id, name }, at) =>
    CHANGES.map(([type, entityType, entityName], index) => ({
      external_id: `lived-in-${at}-${index}`,
      ...{ platform: stack.platform, artist_platform_id: platform_id, artist_name: name },
      ...{ type, entity_type: entityType, entity_id: `${at}${index}`, entity_name: entityName },
      detected_at: new Date(Date.now() - (at * 7 + index + 1) * 3_600_000).toISOString(),
    })),
  );
  const answer = await fetch(`${stack.ingestUrl}/changes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.ingestToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ changes: ingested }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  await Promise.all([good.waitFor(3), bad.waitFor(1)]);
  return {
    artists: artists.map(({ id, platform_id: platformId, name }) => ({ id, platformId, name })),
    close: async () => {
      await Promise.all([good.close(), bad.close()]);
    },
  };

  async function api<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${stack.apiUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${stack.apiKey}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  async function control<Answer>(path: string): Promise<Answer> {
    return (await (await fetch(`${stack.platformControlUrl}${path}`)).json()) as Answer;
  }
}
