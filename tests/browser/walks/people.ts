import { seedSession } from '@artist-watch/harness/dashboard-fixtures';
import { until } from '@artist-watch/harness/until';
import { expect } from '@jest/globals';
import { leadsOn, shownOnce } from '../hands.js';
import { freshArtist, report } from '../platform.js';
import { mailsTo, newestCode } from '../stage.js';
import type { Walk, Walker } from './walker.js';

/** The walk that signs out everywhere comes last. */
export const PEOPLE: Walk[] = [
  [
    'a member signs in by code and gets the requested page, signs out, and signs in by link',
    5,
    async ({ stage, account, hand, newPage, look }) => {
      const email = await account.member();
      const page = await newPage();
      const wanted = account.url('/usage');
      await page.goto(wanted);
      await ask(email);
      await look(page, 'sign-in-code');
      await hand.type(page, 'input[name=code]', (await newestCode(stage, email)).code);
      await leadsOn(page, hand.press(page, 'main button', /^Sign in$/));
      expect(page.url()).toBe(wanted);
      await leadsOn(page, hand.press(page, 'form[action="/sign-out"] button'));
      await page.goto(wanted);
      const other = await account.member();
      await ask(other);
      await page.goto((await newestCode(stage, other)).link);
      await leadsOn(page, hand.press(page, 'main button', /^Sign in$/));
      expect(page.url()).toBe(wanted);

      async function ask(address: string) {
        await hand.type(page, 'input[name=email]', address);
        await leadsOn(page, hand.press(page, 'main button', /^Email me a code$/));
      }
    },
  ],
  [
    'an owner enters a fresh code and invites a member',
    3,
    async (walker) => {
      const { stage, account, hand, newPage, look } = walker;
      const email = await account.member();
      const page = await newPage(email);
      const invited = `guest-${account.accountId}@label.example`;
      await stage.pool.query('UPDATE sessions SET fresh_until = created_at WHERE email = $1', [email]);
      await page.goto(account.url('/members'));
      await hand.type(page, 'main input[name=email]', invited);
      await leadsOn(page, hand.press(page, 'main form[action$="/members/invite"] button'));
      await look(page, 'fresh-code-asked');
      await leadsOn(page, hand.press(page, 'main form[action^="/fresh-code"] button'));
      await look(page, 'fresh-code-typed');
      await hand.type(page, 'main input[name=code]', (await newestCode(stage, email)).code);
      await leadsOn(page, hand.press(page, 'main form[action^="/sign-in/code"] button'));
      expect(page.url()).toBe(account.url('/members'));
      await look(page, 'members-invited');
      expect(await memberOf(walker, invited)).toMatchObject({ role: 'member' });
    },
  ],
  [
    'a member becomes an owner, and is then removed',
    4,
    async (walker) => {
      const { account, hand, newPage } = walker;
      const page = await newPage(await account.member());
      const invited = await account.member('member');
      await page.goto(account.url('/members'));
      const { id } = (await memberOf(walker, invited)) ?? {};
      await hand.press(page, 'main summary', new RegExp(`^Make owner: ${invited}`));
      await leadsOn(page, hand.press(page, `main form[action$="/${id}/role"] button`));
      expect(await memberOf(walker, invited)).toMatchObject({ role: 'owner' });
      await hand.press(page, 'main summary', new RegExp(`^Remove: ${invited}`));
      await leadsOn(page, hand.press(page, `main form[action$="/${id}/remove"] button`));
      expect(await memberOf(walker, invited)).toBeUndefined();
    },
  ],
  [
    'an API key is created, shown once and revoked',
    4,
    async ({ stage, account, hand, newPage, look }) => {
      const page = await newPage(await account.member());
      await page.goto(account.url('/keys'));
      await hand.type(page, 'main input[name=name]', 'Night job');
      await leadsOn(page, hand.press(page, 'main button', /^Create key$/));
      const key = await shownOnce(page);
      await look(page, 'key-created');
      const usage = () => fetch(`${stage.stack.apiUrl}/usage`, { headers: { Authorization: `Bearer ${key}` } });
      expect((await usage()).status).toBe(200);
      await leadsOn(page, hand.press(page, 'main a', /^Done$/));
      await hand.press(page, 'main summary', /^Revoke Night job/);
      await leadsOn(page, hand.press(page, 'main details[open] form[action$="/revoke"] button'));
      await until('the refusal', async () => (await usage()).status === 401);
    },
  ],
  [
    'a member unsubscribes from an email, turns off the digest, and changes the time zone',
    7,
    async ({ stage, account, hand, newPage, look }) => {
      const email = await account.member();
      const artist = await freshArtist(stage);
      await account.api('POST', '/artists', { platform_id: artist.id });
      await report(stage, artist, [{ type: 'release_removed', entityType: 'release', entityName: 'the email' }]);
      const link = await until('an email with a link', async () =>
        (await mailsTo(stage, email))
          .map(({ text }) => /http:\S+\/unsubscribe\/\w+\/critical\/\S+/.exec(text)?.[0])
          .find(Boolean),
      );
      const outside = await newPage();
      await outside.goto(link);
      await look(outside, 'unsubscribe');
      await leadsOn(outside, hand.press(outside, 'main button'));
      await look(outside, 'unsubscribed');
      const page = await newPage(email);
      await page.goto(account.url('/settings'));
      const ended = page.locator('input[name=mails][value=critical]');
      expect(await ended.isChecked()).toBe(false);
      await hand.choose(page, 'select[name=digest]', 'Off');
      await leadsOn(page, hand.press(page, 'main form[action$="/settings/mails"] button'));
      expect(await page.locator('select[name=digest]').inputValue()).toBe('never');
      await hand.choose(page, 'select[name=zone]', 'Europe/Berlin');
      await leadsOn(page, hand.press(page, 'main form[action$="/settings/zone"] button'));
      expect(await page.locator('select[name=zone]').inputValue()).toBe('Europe/Berlin');
    },
  ],
  [
    'a member limits email alerts to the artists of one group',
    3,
    async ({ account, hand, newPage }) => {
      const page = await newPage(await account.member());
      await account.api('POST', '/groups', { name: 'Emailed', color: 'blue' });
      await page.goto(account.url('/settings'));
      await hand.press(page, 'main summary', /^Artists: all$/);
      await hand.tick(page, 'input[name=mail_group_ids]');
      await leadsOn(page, hand.press(page, 'main form[action$="/settings/mails"] button'));
      await page.goto(account.url('/settings'));
      expect(await page.locator('input[name=mail_group_ids]').isChecked()).toBe(true);
    },
  ],
  [
    'a member signs out one browser, and then all browsers',
    3,
    async ({ stage, account, hand, newPage }) => {
      const email = await account.member();
      await seedSession(stage.pool, email);
      const page = await newPage(email);
      await page.goto(account.url('/settings'));
      await leadsOn(page, hand.press(page, 'main form[action$="/sessions/end"] button'));
      expect(await page.getByRole('button', { name: 'Sign out test' }).count()).toBe(0);
      await hand.press(page, 'main summary', /^Sign out everywhere/);
      await leadsOn(page, hand.press(page, 'main form[action$="/sessions/end-all"] button'));
      await page.goto(account.url('/settings'));
      expect(new URL(page.url()).pathname).toBe('/sign-in');
    },
  ],
];

async function memberOf({ stage, account }: Walker, email: string) {
  const { rows } = await stage.pool.query<{ id: string; role: string }>(
    'SELECT id, role FROM members WHERE account_id = $1 AND email = $2',
    [account.accountId, email],
  );
  return rows[0];
}
