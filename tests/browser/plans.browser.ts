import { PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { crawl } from './crawl.js';
import { inspect } from './inspect.js';
import { newestCode, useStage } from './stage.js';

const stage = useStage();
const timeoutMs = 600_000;

test(
  'every page of a new account on the smallest plan is accessible, and no link is broken',
  async () => {
    const account = await stage.openAccount('free');
    const page = await stage.visitor({ email: await account.member() });
    const { pages, broken } = await crawl(stage, account, page.request);
    expect(broken).toEqual([]);
    const problems: string[] = [];
    for (const [path] of pages.values()) {
      if (!path?.startsWith('/a/')) continue;
      await page.goto(stage.stack.dashboardUrl + path);
      const name = path.replace(/^\/a\/[^/]+\/?/, '').replaceAll(/[^a-z]+/g, '-');
      problems.push(...(await inspect(page, `empty-${name || 'overview'}`)));
    }
    expect(problems).toEqual([]);
  },
  timeoutMs,
);

test.each<[PlanName, Readonly<Record<string, string>>]>([
  [
    'free',
    { '/tools': 'Tools come with the Business plan', '/destinations/new': 'Channels come with the Starter plan' },
  ],
  ['starter', { '/tools': 'Tools come with the Business plan', '/destinations': 'No channels yet' }],
  ['pro', { '/tools': 'Tools come with the Business plan', '/destinations': 'No channels yet' }],
  ['business', { '/tools': 'Daily look-ups', '/destinations': 'No channels yet' }],
])('on the %s plan, each page shows what the plan includes and its limits', async (plan, says) => {
  const account = await stage.openAccount(plan);
  const page = await stage.visitor({ email: await account.member() });
  for (const [path, text] of Object.entries(says)) {
    await page.goto(account.url(path));
    expect([path, await page.locator('main').textContent()]).toEqual([path, expect.stringContaining(text)]);
  }
  const { seats, keys, artists } = PLANS[plan];
  await page.goto(account.url('/usage'));
  const usage = await page.locator('main').textContent();
  for (const limit of [seats, keys, artists]) expect(usage).toContain(`of ${limit}`);
});

test(
  'the last invitation that the plan allows is sent, and the next one is rejected with the limit',
  async () => {
    const account = await stage.openAccount('starter');
    const page = await stage.visitor({ email: await account.member() });
    const last = `last-${account.accountId}@label.example`;
    const older = await page.context().newPage();
    await older.goto(account.url('/members'));
    await page.goto(account.url('/members'));
    await invite(page, last);
    await page.getByText(`Invitation sent to ${last}.`).waitFor();
    await page.getByText("You've reached your plan's member limit.").waitFor();
    expect(await page.getByLabel('Email address').count()).toBe(0);
    await invite(older, `beyond-${account.accountId}@label.example`);
    await older.getByText('Your plan allows 2 members.').waitFor();
    expect(await inspect(older, 'members-full')).toEqual([]);

    const guest = await stage.visitor();
    await guest.goto(account.url(''));
    await guest.getByLabel('Your email address').fill(last);
    await guest.getByRole('button', { name: 'Email me a code' }).click();
    await guest.getByLabel('Code').fill((await newestCode(stage, last)).code);
    await guest.getByRole('button', { name: 'Sign in' }).click();
    await guest.waitForURL(account.url(''));
  },
  timeoutMs,
);

async function invite(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Invite' }).click();
}
