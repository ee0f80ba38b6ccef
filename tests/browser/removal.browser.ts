import { until } from '@artist-watch/harness/until';
import { platformControl } from '@artist-watch/local-stack/stack/platform-control';
import { expect, test } from '@jest/globals';
import { inspect } from './inspect.js';
import { useStage } from './stage.js';

const stage = useStage();
/** The platform's budget is shared with all artists that other files watch. */
const DEADLINE_MS = 45_000;

test('a release removed on the platform is seen as a check, once and again, and then as a change with its evidence', async () => {
  const page = await stage.visitor({ email: await stage.member() });
  const platform = platformControl(stage.stack.platformControlUrl ?? '');
  const artist = (await platform.artistsToWatch(8)).at(-1) as { id: string; name: string };
  await page.goto(stage.url('/artists/add'));
  await page.getByLabel('Artists', { exact: true }).fill(`${artist.id}\nnobody`);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('1 added, 0 watched already, 1 not added.').waitFor();
  expect(await inspect(page, 'artists-added')).toEqual([]);
  await page.locator('main tbody a').first().click();
  await until(
    'the first reading',
    async () => {
      await page.reload();
      return (await page.getByText('active', { exact: true }).count()) > 0;
    },
    DEADLINE_MS,
  );

  const release = (await platform.releasesOf(artist.id)).find(({ removed }) => !removed) as {
    id: string;
    title: string;
  };
  await platform.removeRelease(release.id);
  await until(
    'the first check',
    async () => {
      await page.reload();
      return (await page.getByText('1 of 3').count()) > 0;
    },
    DEADLINE_MS,
  );
  expect(await inspect(page, 'artist-with-check')).toEqual([]);
  await until(
    'the second check',
    async () => {
      await page.reload();
      return (await page.getByText('2 of 3').count()) > 0;
    },
    DEADLINE_MS,
  );
  await until(
    'the change',
    async () => {
      await page.goto(stage.url(`/changes`));
      return (await page.getByRole('link', { name: release.title }).count()) > 0;
    },
    DEADLINE_MS,
  );
  await page.getByRole('link', { name: release.title }).first().click();
  expect(await page.getByText('counts', { exact: true }).count()).toBe(3);
  expect(await page.getByText('confirmed', { exact: true }).count()).toBe(1);
  expect(await inspect(page, 'change-with-evidence')).toEqual([]);
}, 120_000);
