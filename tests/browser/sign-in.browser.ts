import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newestCode, useStage } from './stage.js';

const stage = useStage();

async function ask(page: Page, email: string): Promise<void> {
  await page.goto(stage.stack.dashboardUrl);
  await page.getByLabel('Your mail address').fill(email);
  await page.getByRole('button', { name: 'Send me the mail' }).click();
  await page.getByRole('heading', { name: 'Type the code' }).waitFor();
}

const hasSession = async (page: Page) =>
  (await page.context().cookies()).some(({ name, httpOnly, sameSite }) => {
    return name === 'aw-session' && httpOnly && sameSite === 'Lax';
  });

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('sign-in %s', (_name, javaScriptEnabled) => {
  test('by the code of the mail, to the page that was wanted', async () => {
    const email = await stage.member();
    const page = await stage.visitor({ javaScriptEnabled });
    await page.goto(stage.url('/usage'));
    await page.getByLabel('Your mail address').fill(email);
    await page.getByRole('button', { name: 'Send me the mail' }).click();
    await page.getByLabel('Code').fill((await newestCode(stage, email)).code);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(stage.url('/usage'));
    expect(await hasSession(page)).toBe(true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(stage.url('/usage'));
    expect(new URL(page.url()).pathname).toBe('/sign-in');
  });

  test('by the link of the mail and one click, in the browser that asked alone', async () => {
    const email = await stage.member();
    const page = await stage.visitor({ javaScriptEnabled });
    await ask(page, email);
    const { link } = await newestCode(stage, email);
    const elsewhere = await stage.visitor({ javaScriptEnabled });
    expect((await elsewhere.goto(link))?.status()).toBe(403);
    await elsewhere.getByRole('heading', { name: 'This is another browser' }).waitFor();
    expect(await hasSession(elsewhere)).toBe(false);

    await page.goto(link);
    expect(await hasSession(page)).toBe(false);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(stage.url(''));
    expect(await hasSession(page)).toBe(true);
  });
});
