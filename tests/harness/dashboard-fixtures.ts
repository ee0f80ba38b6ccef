import { createHash, randomBytes } from 'node:crypto';
import type { MemberRole } from '@artist-watch/domain/account/actor';
import type { AccountId, MemberId } from '@artist-watch/domain/ids';
import type pg from 'pg';
import { type ApiAnswer, ask } from './api-call.js';
import { apiSettings, type StartService, startUnderTest } from './api-fixtures.js';
import type { Suite } from './suite.js';

export interface SeededMember {
  readonly memberId: MemberId;
  readonly accountId: AccountId;
  readonly email: string;
  /** The browser has just confirmed a code. */
  readonly cookie: string;
}

/** The member is signed in. */
export async function seedMember(
  pool: pg.Pool,
  accountId: AccountId,
  { role = 'owner', email }: { readonly role?: MemberRole; readonly email?: string } = {},
): Promise<SeededMember> {
  const address = email ?? `member-${randomBytes(6).toString('hex')}@label.example`;
  const { rows } = await pool.query<{ id: MemberId }>(
    `INSERT INTO members (id, account_id, email, role, created_at, joined_at)
     VALUES (new_id('mem', now()), $1, $2, $3, now(), now()) RETURNING id`,
    [accountId, address, role],
  );
  const { id: memberId } = rows[0] as { id: MemberId };
  return { memberId, accountId, email: address, cookie: await seedSession(pool, address) };
}

/** Signs in another browser. Returns its `Cookie` header. */
export async function seedSession(
  pool: pg.Pool,
  email: string,
  { fresh = true, now = new Date() }: { readonly fresh?: boolean; readonly now?: Date } = {},
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await pool.query(
    `INSERT INTO sessions (id, email, token_sha256, created_at, last_seen_at, fresh_until, client_address, user_agent)
     VALUES (new_id('ses', $3), $1, $2, $3, $3, $4, '127.0.0.1', 'test')`,
    [email, createHash('sha256').update(token).digest(), now, new Date(now.getTime() + (fresh ? 30 * 60_000 : 0))],
  );
  return `aw-session=${token}`;
}

/** Emails are not delivered unless SMTP_URL is set. */
export function dashboardSettings(suite: Suite): Record<string, string> {
  return {
    ...apiSettings(suite),
    DASHBOARD_PORT: '0',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'Artist Watch <mail@artist-watch.test>',
  };
}

export type DashboardAnswer = Omit<ApiAnswer, 'body'>;

export interface DashboardCall {
  readonly method?: string;
  readonly cookie?: string;
  /** A request with a form is a POST from one of the dashboard's pages. */
  readonly form?: Readonly<Record<string, string>> | URLSearchParams | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface DashboardUnderTest {
  readonly origin: string;
  readonly opsUrl: string;
  /** Does not follow redirects. */
  call(path: string, call?: DashboardCall): Promise<DashboardAnswer>;
  stop(): Promise<void>;
}

/**
 * The suite stops the replica.
 * @param start `(env, signal) => compose(readConfig(env), signal)`
 */
export async function startDashboard(
  suite: Suite,
  start: StartService,
  settings: Readonly<Record<string, string>> = {},
): Promise<DashboardUnderTest> {
  const { service, opsUrl, stop } = await startUnderTest(suite, start, { ...dashboardSettings(suite), ...settings });
  const port = Number(service.addresses.dashboard);
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    opsUrl,
    call: (path, call = {}) => callDashboard(port, path, call),
    stop,
  };
}

function callDashboard(port: number, path: string, call: DashboardCall): Promise<DashboardAnswer> {
  const { cookie, form, headers = {} } = call;
  const body = typeof form === 'string' ? form : form && new URLSearchParams(form).toString();
  return ask(port, call.method ?? (form ? 'POST' : 'GET'), path, body, {
    ...(cookie === undefined ? {} : { Cookie: cookie }),
    ...(body === undefined
      ? {}
      : {
          'Content-Type': 'application/x-www-form-urlencoded',
          'Content-Length': Buffer.byteLength(body),
          'Sec-Fetch-Site': 'same-origin',
        }),
    ...headers,
  });
}
