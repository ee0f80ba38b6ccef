import type { Page } from 'playwright-core';

/** How somebody does what a page offers. The first visible element of the selector with the text is meant. */
export interface Hand {
  press(page: Page, selector: string, text?: RegExp): Promise<void>;
  /** Instead of what the field holds. */
  type(page: Page, selector: string, text: string): Promise<void>;
  /** An option of a select, by the beginning of its label. */
  choose(page: Page, selector: string, label: string): Promise<void>;
}

export const mouse: Hand = {
  press: (page, selector, text = /^/) =>
    page.locator(selector).filter({ hasText: text, visible: true }).first().click({ noWaitAfter: true }),
  type: (page, selector, text) => page.locator(selector).fill(text),
  async choose(page, selector, label) {
    await page.locator(selector).selectOption({ label });
  },
};

export const keyboard: Hand = {
  async press(page, selector, text) {
    await tabTo(page, selector, text);
    await page.keyboard.press('Enter');
  },
  async type(page, selector, text) {
    await tabTo(page, selector);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(text);
  },
  async choose(page, selector, label) {
    await tabTo(page, selector);
    await page.keyboard.type(label);
  },
};

/** Does something that leads to another page, or to the same one anew. */
export async function leadsOn(page: Page, act: Promise<void>): Promise<void> {
  await Promise.all([page.waitForEvent('load'), act]);
}

/** The secret, or the address that is one, on the page that shows it. */
export async function shownOnce(page: Page): Promise<string> {
  return (await page.locator('main .copyable code').first().textContent()) ?? '';
}

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
