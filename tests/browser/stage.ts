import type { PlanName } from '@artist-watch/domain/account/plans';
import type { AccountId } from '@artist-watch/domain/ids';
import { seedAccount } from '@artist-watch/harness/api-fixtures';
import { seedMember, seedSession } from '@artist-watch/harness/dashboard-fixtures';
import { callJson } from '@artist-watch/harness/json-calls';
import { until } from '@artist-watch/harness/until';
import type { ReadyState } from '@artist-watch/local-stack/stack/ready-file';
import { afterAll, beforeAll, expect } from '@jest/globals';
import pg from 'pg';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

export interface Account {
  readonly accountId: AccountId;
  url(path: string): string;
  /** The member is not signed in. `email` can belong to a member of another account. */
  member(role?: 'owner' | 'member', email?: string): Promise<string>;
  /** @throws Error unless the response is 2xx. */
  api<Answer>(method: string, path: string, body?: object): Promise<Answer>;
}

/** The stack is shared. The account belongs to one file. */
export interface Stage {
  readonly account: Account;
  readonly stack: ReadyState & { readonly dashboardUrl: string };
  readonly pool: pg.Pool;
  /** The browser has only the cookies of the given member. */
  visitor(options?: BrowserContextOptions & { readonly email?: string }): Promise<Page>;
  openAccount(plan: PlanName): Promise<Account>;
}

/** Collects script errors, blocked loads, and requests to other hosts. */
const complaints: string[] = [];

export function useStage(): Stage {
  const stack = JSON.parse(process.env.BROWSER_STACK ?? '') as Stage['stack'];
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 2 });
  // One scenario freezes a server, so the pool must tolerate it.
  pool.on('error', () => undefined);
  let browser: Browser;
  let own: Account | undefined;

  beforeAll(async () => {
    browser = await chromium.connect(process.env.BROWSER_ENDPOINT ?? '');
    own = await openAccount('business');
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), pool.end()]);
    expect(complaints).toEqual([]);
  });

  async function openAccount(plan: PlanName): Promise<Account> {
    const { accountId, key } = await seedAccount(pool, plan);
    return {
      accountId,
      url: (path) => `${stack.dashboardUrl}/a/${accountId}${path}`,
      member: async (role = 'owner', email?: string) =>
        (await seedMember(pool, accountId, { role, ...(email !== undefined && { email }) })).email,
      api: (method, path, body) => callJson(method, `${stack.apiUrl}${path}`, key, body),
    };
  }

  return {
    get account() {
      if (!own) throw new Error('The account exists only once the first test has begun.');
      return own;
    },
    stack,
    pool,
    openAccount,
    async visitor({ email, ...options } = {}) {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      if (email !== undefined) {
        const [name = '', value = ''] = (await seedSession(pool, email)).split('=');
        await context.addCookies([{ name, value, url: stack.dashboardUrl }]);
      }
      // A test has a longer timeout, so this error names the failed step.
      context.setDefaultTimeout(25_000);
      const page = await context.newPage();
      page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
      page.on('console', (message) => {
        // Chromium also logs 4xx and 5xx responses here. Tests check those themselves.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
          complaints.push(`${page.url()}: ${message.text()}`);
        }
      });
      page.on('request', (request) => {
        const { origin } = new URL(request.url());
        if (origin !== stack.dashboardUrl) complaints.push(`${page.url()} requested ${request.url()}`);
      });
      return page;
    },
  };
}

export async function mailsTo({ stack }: Stage, email: string): Promise<ReadonlyArray<{ readonly text: string }>> {
  const answer = await fetch(`${stack.mailboxUrl}/mails?to=${encodeURIComponent(email)}`);
  return (await answer.json()) as ReadonlyArray<{ readonly text: string }>;
}

export async function newestCode(stage: Stage, email: string): Promise<{ code: string; link: string }> {
  return until(`an email with a code to ${email}`, async () => {
    const found = (await mailsTo(stage, email))
      .map(({ text }) => ({
        code: /^ {4}(\d{4} \d{4})$/m.exec(text)?.[1] ?? '',
        link: /http:\S+\/sign-in\/link\/\S+/.exec(text)?.[0] ?? '',
      }))
      .filter(({ code }) => code !== '');
    return found.at(-1);
  });
}

/** Waits for the next htmx response. */
export function partOf(page: Page) {
  return page.waitForResponse((response) => response.request().headers()['hx-request'] !== undefined);
}

/**
 * Waits for the refresh of the live parts and returns its status.
 * @param page uses the test's clock.
 */
export async function nextTurn(page: Page): Promise<number> {
  const [answer] = await Promise.all([partOf(page), page.clock.runFor(10_000)]);
  return answer.status();
}
