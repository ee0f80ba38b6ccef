import type { Page } from 'playwright-core';

/** Each action applies to the first visible element that matches the selector and the text. */
export interface Hand {
  press(page: Page, selector: string, text?: RegExp): Promise<void>;
  /** Ticks a checkbox. */
  tick(page: Page, selector: string): Promise<void>;
  /** Replaces the field's value. */
  type(page: Page, selector: string, text: string): Promise<void>;
  /** Selects the option whose label starts with this text. */
  choose(page: Page, selector: string, label: string): Promise<void>;
}

export const mouse: Hand = {
  press: (page, selector, text = /^/) =>
    page.locator(selector).filter({ hasText: text, visible: true }).first().click({ noWaitAfter: true }),
  tick: (page, selector) => page.locator(selector).first().click(),
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
  async tick(page, selector) {
    await tabTo(page, selector);
    await page.keyboard.press('Space');
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

/** Counts clicks, two of them for a choice from a list. @throws Error if a text is typed twice. */
export function countingHand(hand: Hand) {
  let clicks = 0;
  const texts = new Set<string>();
  const counting: Hand = {
    press(...where) {
      clicks += 1;
      return hand.press(...where);
    },
    tick(...where) {
      clicks += 1;
      return hand.tick(...where);
    },
    async type(page, selector, text) {
      if (texts.has(text)) throw new Error(`“${text}” was typed twice.`);
      texts.add(text);
      await hand.type(page, selector, text);
    },
    choose(...where) {
      clicks += 2;
      return hand.choose(...where);
    },
  };
  return { hand: counting, clicks: () => clicks };
}

/** Performs an action that loads a page. */
export async function leadsOn(page: Page, act: Promise<void>): Promise<void> {
  await Promise.all([page.waitForEvent('load'), act]);
}

/** Returns the secret, or the secret URL, from the page that shows it. */
export async function shownOnce(page: Page): Promise<string> {
  return (await page.locator('main .copyable code').first().textContent()) ?? '';
}

async function tabTo(page: Page, selector: string, text = /^/): Promise<void> {
  for (let stop = 0; stop < 200; stop += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate((wanted) => {
      const element = document.activeElement;
      return element?.matches(wanted) ? (element.textContent ?? '').replaceAll(/\s+/g, ' ').trim() : undefined;
    }, selector);
    if (focused !== undefined && text.test(focused)) return;
  }
  throw new Error(`Tab does not reach ${selector} ${text} on ${page.url()}.`);
}
