import type { AccountId } from '@artist-watch/domain/ids';
import { seedMember, seedSession } from '@artist-watch/harness/dashboard-fixtures';
import { until } from '@artist-watch/harness/until';
import type { ReadyState } from '@artist-watch/local-stack/stack/ready-file';
import { afterAll, beforeAll, expect } from '@jest/globals';
import pg from 'pg';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** The whole stack that browser-setup.mjs started, and a Chromium of this file's own. */
export interface Stage {
  readonly stack: ReadyState & { readonly dashboardUrl: string };
  readonly pool: pg.Pool;
  /** A path of the dashboard below the account of the stack. */
  url(path: string): string;
  /** A browser with no cookies but those of the given member, who is signed in. */
  visitor(options?: BrowserContextOptions & { readonly email?: string }): Promise<Page>;
  /** One more member of the account, who has a seat, and is signed in nowhere. */
  member(role?: 'owner' | 'member'): Promise<string>;
}

/** What a page must never cause: an error of a script, a refused load, a request that leaves the machine. */
const complaints: string[] = [];

export function useStage(): Stage {
  const stack = JSON.parse(process.env.BROWSER_STACK ?? '') as Stage['stack'];
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 2 });
  // A frozen server is one of the scenarios.
  pool.on('error', () => undefined);
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: process.env.BROWSER_PATH ?? '' });
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), pool.end()]);
    expect(complaints).toEqual([]);
  });

  return {
    stack,
    pool,
    url: (path) => `${stack.dashboardUrl}/a/${stack.accountId}${path}`,
    async visitor({ email, ...options } = {}) {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      if (email !== undefined) {
        const [name = '', value = ''] = (await seedSession(pool, email)).split('=');
        await context.addCookies([{ name, value, url: stack.dashboardUrl }]);
      }
      // Shorter than a test has, so that what fails is the step that nothing came of.
      context.setDefaultTimeout(15_000);
      const page = await context.newPage();
      page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
      page.on('console', (message) => {
        // An answer of 4xx or 5xx is said here too; tests look at those themselves.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
          complaints.push(`${page.url()}: ${message.text()}`);
        }
      });
      page.on('request', (request) => {
        const { origin } = new URL(request.url());
        if (origin !== stack.dashboardUrl) complaints.push(`${page.url()} asked for ${request.url()}`);
      });
      return page;
    },
    async member(role = 'owner') {
      return (await seedMember(pool, stack.accountId as AccountId, { role })).email;
    },
  };
}

/** Code and link of the newest mail to the address that has a code. */
export async function newestCode({ stack }: Stage, email: string): Promise<{ code: string; link: string }> {
  return until(`a mail with a code to ${email}`, async () => {
    const answer = await fetch(`${stack.mailboxUrl}/mails?to=${encodeURIComponent(email)}`);
    const mails = (await answer.json()) as ReadonlyArray<{ readonly text: string }>;
    const found = mails
      .map(({ text }) => ({
        code: /^ {4}(\d{4} \d{4})$/m.exec(text)?.[1] ?? '',
        link: /http:\S+\/sign-in\/link\/\S+/.exec(text)?.[0] ?? '',
      }))
      .filter(({ code }) => code !== '');
    return found.at(-1);
  });
}
