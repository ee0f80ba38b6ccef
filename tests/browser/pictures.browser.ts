import { until } from '@artist-watch/harness/until';
import { platformControl } from '@artist-watch/local-stack/stack/platform-control';
import { expect, test } from '@jest/globals';
import { inspect } from './inspect.js';
import { readAgain } from './platform.js';
import { useStage } from './stage.js';

const stage = useStage();
/** The platform's budget is shared with all artists that other files watch. */
const DEADLINE_MS = 45_000;

test('a cover that changed on the platform is shown before and after, from the dashboard itself, also by a share link', async () => {
  const page = await stage.visitor({ email: await stage.member() });
  const { apiUrl, apiKey, platformControlUrl } = stage.stack;
  const api = async (path: string, body?: object) => {
    const response = await fetch(`${apiUrl}${path}`, {
      headers: { Authorization: `Bearer ${apiKey}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return response.json();
  };
  const platform = platformControl(platformControlUrl ?? '');
  const artist = (await platform.artistsToWatch(9)).at(-1) as { id: string };
  const { id } = await api('/artists', { platform_id: artist.id });
  await until('the first reading', async () => (await api(`/artists/${id}`)).status === 'active', DEADLINE_MS);
  const release = (await platform.releasesOf(artist.id)).find(({ removed }) => !removed);
  await fetch(`${platformControlUrl}/releases/${release?.id}/artwork`, { method: 'POST' });
  const change = await until(
    'the change',
    async () => {
      await readAgain(stage, artist.id);
      const { data } = await api(`/changes?artist_id=${id}`);
      return data.find(({ type }: { type: string }) => type === 'artwork_changed');
    },
    DEADLINE_MS,
  );

  const pictures = page.locator('main img');
  const bothDrawn = async (address: string) => {
    await page.goto(address);
    const widths = await pictures.evaluateAll((images) =>
      images.map((image) => (image as HTMLImageElement).naturalWidth),
    );
    return widths.length === 2 && widths.every((width) => width > 0);
  };
  await until('both pictures', () => bothDrawn(stage.url(`/changes/${change.id}`)), DEADLINE_MS);
  expect(await inspect(page, 'change-with-pictures')).toEqual([]);
  await page.getByRole('button', { name: 'Create a share link' }).click();
  const shared = (await page.locator('main code').first().textContent()) ?? '';
  expect(await bothDrawn(shared.trim())).toBe(true);
}, 120_000);
