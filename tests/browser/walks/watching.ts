import { until } from '@artist-watch/harness/until';
import { expect } from '@jest/globals';
import { leadsOn, shownOnce } from '../hands.js';
import { freshArtist, freshArtists, type PlatformArtist, report } from '../platform.js';
import type { Account, Stage } from '../stage.js';
import type { Walk } from './walker.js';

export const WATCHING: Walk[] = [
  [
    'an artist is found, added, and removed again',
    6,
    async ({ stage, account, hand, newPage, look }) => {
      const page = await newPage(await account.member());
      const artist = await freshArtist(stage);
      await page.goto(account.url('/artists'));
      await leadsOn(page, hand.press(page, 'main a', /^Add artists$/));
      await hand.type(page, 'main input[name=q]', artist.name);
      await leadsOn(page, hand.press(page, 'main form[action$="/artists/find"] button'));
      await page.getByRole('table', { name: 'Artists on Deezer' }).getByText(artist.name).first().waitFor();
      await look(page, 'artists-found');
      await hand.type(page, 'textarea[name=artists]', artist.id);
      await leadsOn(page, hand.press(page, 'main form button', /^Add$/));
      await page.getByText('1 added', { exact: true }).waitFor();
      await page.goto(account.url('/artists'));
      await hand.tick(page, 'main tbody input[name=artist]');
      await hand.press(page, 'main .bulk summary', /^Stop/);
      await leadsOn(page, hand.press(page, 'main .bulk button'));
      await page.getByText("You're not watching any artists yet").waitFor();
    },
  ],
  [
    'artists are grouped, and the group is renamed and deleted',
    8,
    async ({ stage, account, hand, newPage, look }) => {
      const page = await newPage(await account.member());
      const artist = await freshArtist(stage);
      await account.api('POST', '/artists', { platform_id: artist.id });
      await page.goto(account.url('/groups'));
      await hand.type(page, 'main input[name=name]', 'Frontline');
      await leadsOn(page, hand.press(page, 'main form[action$="/groups"] button'));
      await look(page, 'groups-one');
      await page.goto(account.url('/artists'));
      await hand.tick(page, 'main tbody input[name=artist]');
      await leadsOn(page, hand.press(page, 'main .bulk button', /^Add to group$/));
      await page.locator('main table').getByText('Frontline').waitFor();
      await page.goto(account.url('/groups'));
      await leadsOn(page, hand.press(page, 'main a.row-link'));
      await hand.type(page, 'main input[name=name]', 'Nordic');
      await look(page, 'group-edited');
      await leadsOn(page, hand.press(page, 'main form button', /^Save$/));
      await leadsOn(page, hand.press(page, 'main a.row-link', /Nordic/));
      await hand.press(page, 'main summary', /^Delete/);
      await leadsOn(page, hand.press(page, 'main form[action$="/delete"] button'));
      await page.getByText('No groups yet').waitFor();
    },
  ],
  [
    'a watched artist is merged into another one, and the watch moves to that artist',
    1,
    async ({ stage, account, hand, newPage, look }) => {
      const [old, other] = (await freshArtists(stage, 2)) as [PlatformArtist, PlatformArtist];
      const { id } = await account.api<{ id: string }>('POST', '/artists', { platform_id: old.id });
      const isRead = `SELECT FROM artists WHERE id = $1 AND last_complete_at IS NOT NULL`;
      await until('the first poll', async () => (await stage.pool.query(isRead, [id])).rowCount === 1);
      // Insert the row that a poll writes after a merge. Other tests use the platform, so it must not change.
      await stage.pool.query(
        "UPDATE artists SET merged_into = $2, last_polled_at = now(), next_poll_at = now() + interval '1 day' WHERE id = $1",
        [id, other.id],
      );
      const page = await newPage(await account.member());
      await page.goto(account.url(`/artists/${id}`));
      await look(page, 'artist-merged');
      await leadsOn(page, hand.press(page, 'main button', /^Watch the other artist instead$/));
      await page.goto(account.url('/artists'));
      await page.locator(`main a[href*="artists/art_"]:not([href*="${id}"])`).first().waitFor();
      expect(await page.locator(`main a[href*="${id}"]`).count()).toBe(0);
    },
  ],
  [
    'the text for the distributor is copied from the overview',
    1,
    async ({ stage, account, hand, hasScripts, newPage }) => {
      const page = await newPage(await account.member());
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await reportRemoval(stage, account, 'Gone from the shop');
      await page.goto(account.url(''));
      if (hasScripts) {
        await hand.press(page, '#attention button', /^Copy text for distributor: Gone from the shop$/);
        await page.locator('#attention .copied').waitFor();
        expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('Gone from the shop');
      } else {
        await leadsOn(page, hand.press(page, '#attention .row-link', /^Gone from the shop$/));
        expect(await page.locator('main pre').textContent()).toContain('Gone from the shop');
      }
    },
  ],
  [
    'a removal is marked as handled on the overview',
    1,
    async ({ stage, account, hand, newPage }) => {
      const page = await newPage(await account.member());
      const artist = await reportRemoval(stage, account, 'Soon handled');
      await page.goto(account.url(''));
      await leadsOn(page, hand.press(page, '#attention button', /^Mark as handled: Soon handled$/));
      expect(await page.getByRole('button', { name: 'Mark as handled: Soon handled' }).count()).toBe(0);
      expect(await changesOf(account, artist)).toEqual([expect.objectContaining({ status: 'handled' })]);
    },
  ],
  [
    'a change gets an assignee and a note',
    5,
    async ({ stage, account, hand, newPage }) => {
      const email = await account.member();
      const page = await newPage(email);
      const artist = await reportRemoval(stage, account, 'To be assigned');
      const [change] = await changesOf(account, artist);
      await page.goto(account.url(`/changes/${change?.id}`));
      await hand.choose(page, 'select[name=assignee]', email);
      await leadsOn(page, hand.press(page, 'main form button', /^Assign$/));
      await hand.press(page, 'main summary', /^Add a note$/);
      await hand.type(page, 'textarea[name=note]', 'Called the distributor.');
      await leadsOn(page, hand.press(page, 'main form button', /^Save note$/));
      const note = 'Called the distributor.';
      expect(await changesOf(account, artist)).toEqual([expect.objectContaining({ assignee: email, note })]);
    },
  ],
  [
    'changes in the list are marked as expected, and the list is exported',
    3,
    async ({ stage, account, hand, newPage }) => {
      const page = await newPage(await account.member());
      const artist = await reportRemoval(stage, account, 'As planned');
      await page.goto(account.url(`/changes?artist=${artist}`));
      await hand.tick(page, 'main input[name=change]');
      await leadsOn(page, hand.press(page, 'main .bulk button', /^Mark as expected$/));
      expect(await changesOf(account, artist)).toEqual([expect.objectContaining({ status: 'expected' })]);
      const [file] = await Promise.all([page.waitForEvent('download'), hand.press(page, 'main a', /^Download CSV$/)]);
      expect(file.suggestedFilename()).toMatch(/^changes-.*\.csv$/);
    },
  ],
  [
    'a search without accents finds a title with accents',
    0,
    async ({ stage, account, hand, newPage }) => {
      const page = await newPage(await account.member());
      await reportRemoval(stage, account, 'Chansons pour Chloë');
      await page.goto(account.url(''));
      await hand.type(page, '#search-field', 'chloe');
      await leadsOn(page, page.keyboard.press('Enter'));
      await page.locator('main .row-link', { hasText: 'Chansons pour Chloë' }).waitFor();
    },
  ],
  [
    'a change is marked as handled, and strangers can open its share link until the link is revoked',
    5,
    async ({ stage, account, hand, newPage, look }) => {
      const page = await newPage(await account.member());
      const artist = await freshArtist(stage);
      await account.api('POST', '/artists', { platform_id: artist.id });
      await report(stage, artist, [{ type: 'label_changed', entityType: 'release', entityName: 'To be shared' }]);
      await page.goto(account.url('/changes'));
      await leadsOn(page, hand.press(page, 'main a.row-link'));
      await leadsOn(page, hand.press(page, 'main button', /^Mark as handled$/));
      await page.getByRole('button', { name: 'Reopen' }).waitFor();
      await look(page, 'change-handled');
      await leadsOn(page, hand.press(page, 'main button', /^Create share link$/));
      const address = await shownOnce(page);
      await look(page, 'share-created');
      const stranger = await stage.visitor();
      expect((await stranger.goto(address))?.status()).toBe(200);
      await look(stranger, 'share');
      await leadsOn(page, hand.press(page, 'main a', /^Done$/));
      await leadsOn(page, hand.press(page, 'main button', /^Revoke$/));
      await page.getByRole('status').waitFor();
      expect((await stranger.goto(address))?.status()).toBe(404);
      await look(stranger, 'share-revoked');
    },
  ],
  [
    'a feed is created and revoked',
    4,
    async ({ account, hand, newPage, stage, look }) => {
      const page = await newPage(await account.member());
      await page.goto(account.url('/feeds'));
      await hand.type(page, 'main input[name=name]', 'Reader');
      await leadsOn(page, hand.press(page, 'main button', /^Create feed$/));
      const address = await shownOnce(page);
      await look(page, 'feed-created');
      expect((await fetch(address)).status).toBe(200);
      await leadsOn(page, hand.press(page, 'main a', /^Done$/));
      await look(page, 'feeds-one');
      await hand.press(page, 'main summary', /^Revoke Reader/);
      await leadsOn(page, hand.press(page, 'main form[action$="/revoke"] button'));
      await page.getByText('No feeds yet').waitFor();
      expect((await fetch(address)).ok).toBe(false);
      expect(address.startsWith(stage.stack.dashboardUrl)).toBe(true);
    },
  ],
  [
    'a track is looked up by its link, and by its ISRC',
    2,
    async ({ stage, account, hand, newPage, look }) => {
      const page = await newPage(await account.member('member'));
      const { releases } = await freshArtist(stage);
      const { id = '', isrc = '' } = releases[0]?.tracks[0] ?? {};
      await page.goto(account.url('/tools'));
      await hand.type(page, 'main input[name=lookup]', `https://www.deezer.com/track/${id}`);
      await leadsOn(page, hand.press(page, 'main form[action$="/tools/lookup"] button'));
      await page.getByRole('heading', { name: 'Found' }).waitFor();
      await look(page, 'tools-link');
      await hand.type(page, 'main input[name=reverse]', isrc);
      await leadsOn(page, hand.press(page, 'main form[action$="/tools/reverse"] button'));
      await page.locator('#found').getByText(isrc).first().waitFor();
      await look(page, 'tools-isrc');
    },
  ],
];

/** Watches an artist and reports the removal of a release. Returns the artist's id. */
async function reportRemoval(stage: Stage, account: Account, entityName: string): Promise<string> {
  const artist = await freshArtist(stage);
  const { id } = await account.api<{ id: string }>('POST', '/artists', { platform_id: artist.id });
  await report(stage, artist, [{ type: 'release_removed', entityType: 'release', entityName }]);
  return id;
}

async function changesOf(account: Account, artist: string) {
  const { data } = await account.api<{ data: ReadonlyArray<{ id: string }> }>('GET', `/changes?artist_id=${artist}`);
  return data;
}
