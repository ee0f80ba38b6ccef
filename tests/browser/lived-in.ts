import { startReceiver } from '@artist-watch/harness/receiver';
import { until } from '@artist-watch/harness/until';
import { freshArtists, report } from './platform.js';
import type { Stage } from './stage.js';

export interface LivedIn {
  close(): Promise<void>;
}

const WATCHED = 3;
const HOSTILE = '<script>alert(1)</script> "onload="alert(2)" \u202egnp.exe {"__html":"x"} =HYPERLINK("x")';

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

/** Fills the account with everything that a page can show, including hostile names. */
export async function liveIn(stage: Stage): Promise<LivedIn> {
  const { api } = stage.account;
  const [good, bad] = await Promise.all([
    startReceiver({ script: { status: 204 } }),
    startReceiver({ script: { status: 500, body: `Traceback (most recent call last):\n  <b>boom</b> ${HOSTILE}` } }),
  ]);
  const chosen = await freshArtists(stage, WATCHED);
  for (const { id } of chosen) await api('POST', '/artists', { platform_id: id });
  await api('POST', '/destinations', { url: good.url, name: 'Warehouse' });
  const off = await api<{ id: string }>('POST', '/destinations', {
    url: `${good.url}/off`,
    rules: { min_severity: 'critical' },
  });
  await api('POST', `/destinations/${off.id}/disable`);
  await until(
    'a first reading of all artists',
    async () => {
      const { data } = await api<{ data: ReadonlyArray<{ status: string }> }>('GET', '/artists');
      return data.length === chosen.length && data.every(({ status }) => status === 'active');
    },
    60_000,
  );
  const { data } = await api<{ data: ReadonlyArray<{ id: string; platform_id: string }> }>('GET', '/artists');
  // More failed attempts would switch the destination off.
  const ids = data.filter(({ platform_id }) => platform_id === chosen[0]?.id).map(({ id }) => id);
  const group = await api<{ id: string }>('POST', '/groups', { name: 'Frontline', color: 'blue' });
  await api('PATCH', `/groups/${group.id}`, { add_artist_ids: ids });
  const rules = { change_types: ['label_changed'], artist_ids: ids };
  await api('POST', '/destinations', { url: bad.url, name: HOSTILE, rules });
  for (const [at, artist] of chosen.entries()) {
    const changes = CHANGES.map(([type, entityType, entityName], index) => ({
      ...{ type, entityType, entityName },
      detectedAt: new Date(Date.now() - (at * 7 + index + 1) * 3_600_000),
    }));
    await report(stage, artist, changes);
  }
  await Promise.all([good.waitFor(3), bad.waitFor(1)]);
  return {
    close: async () => {
      await Promise.all([good.close(), bad.close()]);
    },
  };
}
