import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';
import { inspect } from './inspect.js';
import { freshArtist, readAgain } from './platform.js';
import { useStage } from './stage.js';

const stage = useStage();
/** The platform's budget is shared with all artists that other files watch. */
const DEADLINE_MS = 45_000;

test('a cover change shows the old and the new cover, served by the dashboard, also on the shared page', async () => {
  const page = await stage.visitor({ email: await stage.account.member() });
  const { api, url } = stage.account;
  const artist = await freshArtist(stage);
  const { id } = await api<{ id: string }>('POST', '/artists', { platform_id: artist.id });
  await until(
    'the first poll',
    async () => (await api<{ status: string }>('GET', `/artists/${id}`)).status === 'active',
    DEADLINE_MS,
  );
  await fetch(`${stage.stack.platformControlUrl}/releases/${artist.releases[0]?.id}/artwork`, { method: 'POST' });
  const change = await until(
    'the change',
    async () => {
      await readAgain(stage, artist.id);
      const { data } = await api<{ data: ReadonlyArray<{ id: string; type: string }> }>(
        'GET',
        `/changes?artist_id=${id}`,
      );
      return data.find(({ type }) => type === 'artwork_changed');
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
  await until('both pictures', () => bothDrawn(url(`/changes/${change.id}`)), DEADLINE_MS);
  expect(await inspect(page, 'change-with-pictures')).toEqual([]);
  await page.getByRole('button', { name: 'Create share link' }).click();
  const shared = (await page.locator('main code').first().textContent()) ?? '';
  expect(await bothDrawn(shared.trim())).toBe(true);
}, 120_000);
