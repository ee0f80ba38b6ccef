import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { inspect } from './inspect.js';
import { newestCode, useStage } from './stage.js';

const stage = useStage();
const timeoutMs = 90_000;

/** Returns a browser that waits for its sign-in email. */
async function asking(email: string, page?: Page): Promise<Page> {
  const asked = page ?? (await stage.visitor());
  await asked.goto(stage.stack.dashboardUrl);
  await asked.getByLabel('Your email address').fill(email);
  await asked.getByRole('button', { name: 'Email me a code' }).click();
  await asked.getByRole('heading', { name: 'Enter the code' }).waitFor();
  return asked;
}

async function typeCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const hasSession = async (page: Page) =>
  (await page.context().cookies()).some(({ name, httpOnly, sameSite }) => {
    return name === 'aw-session' && httpOnly && sameSite === 'Lax';
  });

test(
  'a sign-in link works once, by a click in the browser that requested it, and never in another browser or a scanner',
  async () => {
    const email = await stage.account.member();
    const page = await asking(email);
    const { link } = await newestCode(stage, email);
    const elsewhere = await stage.visitor();
    for (let scan = 0; scan < 2; scan += 1) expect((await elsewhere.goto(link))?.status()).toBe(403);
    await elsewhere.getByRole('heading', { name: "This link doesn't work here" }).waitFor();
    expect(await inspect(elsewhere, 'sign-in-elsewhere')).toEqual([]);

    const before = await page.context().storageState();
    await page.goto(link);
    expect([await hasSession(page), await hasSession(elsewhere)]).toEqual([false, false]);
    expect(await inspect(page, 'sign-in-link')).toEqual([]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(stage.account.url(''));
    expect(await hasSession(page)).toBe(true);

    const replaying = await stage.visitor({ storageState: before });
    await replaying.goto(link);
    await replaying.getByRole('button', { name: 'Sign in' }).click();
    await replaying.getByText('already used').waitFor();
    expect(await hasSession(replaying)).toBe(false);
    expect(await inspect(replaying, 'sign-in-replayed')).toEqual([]);
  },
  timeoutMs,
);

test(
  "a member's first sign-in sets the time zone to that of the browser",
  async () => {
    const email = await stage.account.member();
    await stage.pool.query('UPDATE members SET joined_at = NULL WHERE email = $1', [email]);
    const page = await asking(email, await stage.visitor({ timezoneId: 'Asia/Tokyo' }));
    await typeCode(page, (await newestCode(stage, email)).code);
    await page.waitForURL(stage.account.url(''));
    await page.goto(stage.account.url('/settings'));
    expect(await page.getByLabel('Your time zone').inputValue()).toBe('Asia/Tokyo');
  },
  timeoutMs,
);

test(
  'an expired code, an expired link and a sixth attempt with the right code are rejected with the reason',
  async () => {
    const email = await stage.account.member();
    const page = await asking(email);
    const { code, link } = await newestCode(stage, email);
    await stage.pool.query(
      "UPDATE sign_in_requests SET created_at = created_at - interval '15 minutes' WHERE email = $1",
      [email],
    );
    await typeCode(page, code);
    await page.getByText('older than 15 minutes').waitFor();
    expect(await inspect(page, 'sign-in-expired')).toEqual([]);
    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    await page.getByText('older than 15 minutes').waitFor();
    expect(await hasSession(page)).toBe(false);

    const other = await stage.account.member();
    await asking(other, page);
    const next = await newestCode(stage, other);
    const wrong = next.code === '0000 0000' ? '1111 1111' : '0000 0000';
    for (const typed of [wrong, wrong, wrong, wrong, wrong, next.code]) {
      await Promise.all([page.waitForEvent('load'), typeCode(page, typed)]);
    }
    await page.getByText('five times').waitFor();
    expect(await inspect(page, 'sign-in-sixth-try')).toEqual([]);
    expect(await hasSession(page)).toBe(false);
  },
  timeoutMs,
);
