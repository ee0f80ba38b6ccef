import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newestCode, useStage } from './stage.js';

const stage = useStage();

/** Of the simulated platform, without those that another file has watched. */
let platformIds: string[];
beforeAll(async () => {
  const answer = await fetch(`${stage.stack.platformControlUrl}/state`);
  const { artists } = (await answer.json()) as { artists: ReadonlyArray<{ id: string }> };
  const { rows } = await stage.pool.query<{ id: string }>('SELECT platform_id AS id FROM artists');
  const known = new Set(rows.map(({ id }) => id));
  platformIds = artists.map(({ id }) => id).filter((id) => !known.has(id));
});

/** Goes by Tab to the first element that is asked for, as somebody without a mouse does. */
async function tabTo(page: Page, selector: string, text = /^/): Promise<void> {
  for (let stop = 0; stop < 200; stop += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate((wanted) => {
      const element = document.activeElement;
      return element?.matches(wanted) ? (element.textContent ?? '').replaceAll(/\s+/g, ' ').trim() : undefined;
    }, selector);
    if (focused !== undefined && text.test(focused)) return;
  }
  throw new Error(`Tab does not come to ${selector} ${text} on ${page.url()}.`);
}

/** Every step of a walk, by mouse and without scripts, or by keyboard alone. */
interface Hand {
  press(page: Page, selector: string, text?: RegExp): Promise<void>;
  type(page: Page, selector: string, text: string): Promise<void>;
}

const mouse: Hand = {
  press: (page, selector, text = /^/) =>
    page.locator(selector).filter({ hasText: text, visible: true }).first().click({ noWaitAfter: true }),
  type: (page, selector, text) => page.locator(selector).fill(text),
};

const keyboard: Hand = {
  async press(page, selector, text) {
    await tabTo(page, selector, text);
    await page.keyboard.press('Enter');
  },
  async type(page, selector, text) {
    await tabTo(page, selector);
    await page.keyboard.type(text);
  },
};

/** Does something that leads to another page, or to the same one anew. */
async function leadsOn(page: Page, act: Promise<void>): Promise<void> {
  await Promise.all([page.waitForEvent('load'), act]);
}

describe.each([
  ['without scripts', false, mouse],
  ['by keyboard alone', true, keyboard],
])('%s', (_name, javaScriptEnabled, hand) => {
  let page: Page;
  let email: string;
  beforeAll(async () => {
    email = await stage.member();
    page = await stage.visitor({ email, javaScriptEnabled });
  });

  test('an artist is added, and no longer watched', async () => {
    const platformId = platformIds.pop() as string;
    await page.goto(stage.url('/artists'));
    await leadsOn(page, hand.press(page, 'main a', /^Add artists$/));
    await hand.type(page, 'textarea[name=artists]', platformId);
    await leadsOn(page, hand.press(page, 'main form button', /^Add$/));
    await page.getByText('1 added, 0 watched already, 0 not added.').waitFor();
    const { rows } = await stage.pool.query<{ id: string }>('SELECT id FROM artists WHERE platform_id = $1', [
      platformId,
    ]);
    const { id } = rows[0] as { id: string };
    await page.goto(stage.url(`/artists?q=${id}`));
    await hand.press(page, 'main summary', /^Stop/);
    await leadsOn(page, hand.press(page, `main form[action$="/${id}/stop"] button`));
    await page.getByRole('status').waitFor();
    const watches = await stage.pool.query('SELECT 1 FROM watches WHERE artist_id = $1 AND account_id = $2', [
      id,
      stage.stack.accountId,
    ]);
    expect(watches.rows).toEqual([]);
  });

  test('a member is invited, becomes an owner, and is removed', async () => {
    const invited = `guest-${javaScriptEnabled}@label.example`;
    await page.goto(stage.url('/members'));
    await hand.type(page, 'main input[name=email]', invited);
    await leadsOn(page, hand.press(page, 'main form[action$="/members/invite"] button'));
    const id = await memberId(invited);
    await leadsOn(page, hand.press(page, `main form[action$="/${id}/role"] button`));
    const { rows } = await stage.pool.query('SELECT role FROM members WHERE id = $1', [id]);
    expect(rows).toEqual([{ role: 'owner' }]);
    await leadsOn(page, hand.press(page, `main form[action$="/${id}/remove"] button`));
    expect(await memberId(invited)).toBeUndefined();
  });

  test('a fresh code is typed where an action needs it', async () => {
    await stage.pool.query('UPDATE sessions SET fresh_until = created_at WHERE email = $1', [email]);
    await page.goto(stage.url('/members'));
    await hand.type(page, 'main input[name=email]', 'late@label.example');
    await leadsOn(page, hand.press(page, 'main form[action$="/members/invite"] button'));
    await leadsOn(page, hand.press(page, 'main form[action$="/fresh-code/mail"] button'));
    await hand.type(page, 'main input[name=code]', (await newestCode(stage, email)).code);
    await leadsOn(page, hand.press(page, 'main form[action$="/fresh-code/code"] button'));
    expect(page.url()).toBe(stage.url('/members'));
  });
});

async function memberId(email: string): Promise<string | undefined> {
  const { rows } = await stage.pool.query<{ id: string }>('SELECT id FROM members WHERE email = $1', [email]);
  return rows[0]?.id;
}
