import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { routeOf, TABLE } from './crawl.js';
import { countingHand, type Hand, keyboard, mouse } from './hands.js';
import { inspect } from './inspect.js';
import { type Account, useStage } from './stage.js';
import { PEOPLE } from './walks/people.js';
import { SENDING } from './walks/sending.js';
import type { Walker } from './walks/walker.js';
import { WATCHING } from './walks/watching.js';

const timeoutMs = 120_000;
const stage = useStage();

describe.each<[string, boolean, Hand]>([
  ['without scripts', false, mouse],
  ['by keyboard alone', true, keyboard],
])('%s', (_name, javaScriptEnabled, hand) => {
  let account: Account;
  /** Routes that have received a form. */
  const posted = new Set<string>();

  async function newPage(email?: string): Promise<Page> {
    const page = await stage.visitor({ javaScriptEnabled, ...(email !== undefined && { email }) });
    page.on('request', (request) => {
      const route = routeOf(request.method(), new URL(request.url()).pathname);
      if (route?.method === 'POST' && request.isNavigationRequest()) posted.add(route.path);
    });
    return page;
  }

  async function look(page: Page, name: string): Promise<void> {
    if (javaScriptEnabled) expect(await inspect(page, name)).toEqual([]);
  }

  beforeAll(async () => {
    account = await stage.openAccount('business');
  });

  test.each([...WATCHING, ...SENDING, ...PEOPLE])(
    '%s, in at most %i clicks, with nothing typed twice',
    async (_job, maxClicks, walk) => {
      const counting = countingHand(hand);
      const walker: Walker = { stage, account, hand: counting.hand, hasScripts: javaScriptEnabled, newPage, look };
      await walk(walker);
      expect(counting.clicks()).toBeLessThanOrEqual(maxClicks);
    },
    timeoutMs,
  );

  afterAll(() => {
    const missing = TABLE.filter(({ method, path }) => method === 'POST' && !posted.has(path));
    expect(missing.map(({ path }) => path)).toEqual([]);
  });
});
