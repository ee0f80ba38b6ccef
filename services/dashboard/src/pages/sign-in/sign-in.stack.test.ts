import { seedAccount } from '@artist-watch/harness/api-fixtures';
import {
  type DashboardAnswer,
  type DashboardUnderTest,
  seedMember,
  seedSession,
  startDashboard,
} from '@artist-watch/harness/dashboard-fixtures';
import { recordStatements } from '@artist-watch/harness/record-statements';
import { startRelay } from '@artist-watch/harness/relay';
import { type Suite, useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { until } from '@artist-watch/harness/until';
import { type Mailbox, openMailbox } from '@artist-watch/mailbox/mailbox';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

let suite: Suite;
let mailbox: Mailbox;
let dashboard: DashboardUnderTest;
let other: DashboardUnderTest;
const clock = new TestClock(new Date());
const MINUTE_MS = 60_000;

beforeAll(async () => {
  suite = await useSuite();
  mailbox = await openMailbox({ host: '127.0.0.1' });
  suite.onEnd(() => mailbox.stop());
  [dashboard, other] = await Promise.all([start(), start()]);
});

function start(settings: Readonly<Record<string, string>> = {}): Promise<DashboardUnderTest> {
  return startDashboard(suite, (env, signal) => compose(readConfig(env), signal, { clock }), {
    SMTP_URL: `smtp://127.0.0.1:${mailbox.smtpPort}`,
    TRUSTED_PROXY_CIDRS: '127.0.0.0/8',
    ...settings,
  });
}

let clients = 0;

class Browser {
  readonly #cookies = new Map<string, { readonly value: string; readonly endsAtMs: number }>();
  readonly #address: string;
  readonly #userAgent: string;

  constructor(address?: string, userAgent = 'test') {
    clients += 1;
    this.#address = address ?? `203.0.113.${clients}`;
    this.#userAgent = userAgent;
  }

  get cookie(): string {
    const kept = [...this.#cookies].filter(([, { endsAtMs }]) => endsAtMs > clock.now().getTime());
    return kept.map(([name, { value }]) => `${name}=${value}`).join('; ');
  }

  async call(path: string, form?: Record<string, string>, on = dashboard): Promise<DashboardAnswer> {
    const headers = { 'X-Forwarded-For': this.#address, 'User-Agent': this.#userAgent };
    const answer = await on.call(path, { cookie: this.cookie, headers, ...(form && { form }) });
    for (const set of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = '', seconds] = /^([^=]+)=([^;]*).*; Max-Age=(\d+)/.exec(set) ?? [];
      this.#cookies.set(name, { value, endsAtMs: clock.now().getTime() + Number(seconds) * 1_000 });
    }
    return answer;
  }
}

/** Returns the code and the link from email number `count`, not counting "Member invited" emails to owners. */
async function mailTo(email: string, count = 1) {
  const mail = await until(
    `mail ${count} to ${email}`,
    () =>
      mailbox.mails.filter(({ to, subject }) => to.includes(email) && !subject.startsWith('Member invited'))[count - 1],
  );
  const [, first = '', second = ''] = /^ {4}(\d{4}) (\d{4})$/m.exec(mail.text) ?? [];
  return {
    ...mail,
    code: first + second,
    path: /http:\/\/127\.0\.0\.1:\d+(\/sign-in\/link\/\S+)/.exec(mail.text)?.[1] ?? '',
  };
}

/** Returns the hidden fields from the first form on a sign-in page. */
function hiddenIn(html: string): Record<string, string> {
  const [form = ''] = /<form class="form".*?<\/form>/s.exec(html) ?? [];
  const fields = form.matchAll(/<input type="hidden" name="([^"]*)"(?: value="([^"]*)")?/g);
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]));
}

async function invited(role: 'owner' | 'member' = 'owner') {
  const { accountId } = await seedAccount(suite.pool);
  const member = await seedMember(suite.pool, accountId, { role });
  await suite.pool.query('DELETE FROM sessions WHERE email = $1', [member.email]);
  await suite.pool.query('UPDATE members SET joined_at = NULL WHERE id = $1', [member.memberId]);
  return { ...member, settings: `/a/${accountId}/settings` };
}

async function asked(email: string, browser = new Browser()) {
  expect(await browser.call('/sign-in', { email, to: '' })).toMatchObject({ status: 303 });
  return browser;
}

describe('sign-in by email', () => {
  test('a sign-in code works on both replicas, may contain a space or a hyphen, and opens the requested page', async () => {
    const { email, settings, memberId } = await invited();
    const browser = new Browser();
    const { headers } = await browser.call(settings);
    const page = await browser.call(headers.location as string);
    expect(page.text).toContain(`value="${settings}"`);
    await browser.call('/sign-in', { email: email.toUpperCase(), to: settings });
    const { code } = await mailTo(email);
    const typed = `${code.slice(0, 4)}-${code.slice(4)} `;
    const answer = await browser.call('/sign-in/code', { code: typed }, other);
    expect(answer).toMatchObject({ status: 303, headers: { location: settings } });
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^aw-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=7776000$/,
    );
    expect(await browser.call(settings)).toMatchObject({ status: 200 });
    const { rows } = await suite.pool.query('SELECT joined_at FROM members WHERE id = $1', [memberId]);
    expect(rows[0]).toEqual({ joined_at: expect.any(Date) });
  });

  test.each(['ann@münchen.example', 'ann@xn--mnchen-3ya.example'])(
    'the member %s can sign in from browsers that send the domain in Unicode (Firefox) and in ASCII (Chrome)',
    async (stored) => {
      const { memberId } = await invited();
      await suite.pool.query('UPDATE members SET email = $2 WHERE id = $1', [memberId, stored]);
      for (const email of ['Ann@München.example', 'ann@xn--mnchen-3ya.example']) {
        const before = mailbox.mails.length;
        const browser = await asked(email);
        expect((await browser.call('/sign-in/code')).text).toContain('ann@xn--mnchen-3ya.example');
        const mail = await until('a mail', () =>
          mailbox.mails.slice(before).find(({ text }) => /\d{4} \d{4}/.test(text)),
        );
        const code = /^ {4}(\d{4} \d{4})$/m.exec(mail.text)?.[1] ?? '';
        expect(await browser.call('/sign-in/code', { code })).toMatchObject({ status: 303 });
        clock.advance(15 * MINUTE_MS);
      }
      await suite.pool.query('DELETE FROM members WHERE id = $1', [memberId]);
    },
  );

  test.each([
    ['Europe/Lisbon', 'Europe/Lisbon'],
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['', 'UTC'],
    ['<b>Nowhere', 'UTC'],
  ])(
    "the first sign-in from the zone “%s” sets the member's time zone to %s, and later sign-ins do not change it",
    async (zone, begun) => {
      const zoneOf = async (memberId: string) =>
        (await suite.pool.query('SELECT zone FROM members WHERE id = $1', [memberId])).rows[0].zone;
      const [byCode, byLink] = [await invited(), await invited()];
      const [one, two] = [await asked(byCode.email), await asked(byLink.email)];
      const { code } = await mailTo(byCode.email);
      expect(await one.call('/sign-in/code', { code, zone })).toMatchObject({ status: 303 });
      const { path } = await mailTo(byLink.email);
      expect(await two.call(path, { zone })).toMatchObject({ status: 303 });
      expect([await zoneOf(byCode.memberId), await zoneOf(byLink.memberId)]).toEqual([begun, begun]);
      const again = await asked(byCode.email);
      const later = await mailTo(byCode.email, 2);
      await again.call('/sign-in/code', { code: later.code, zone: 'America/Lima' });
      expect(await zoneOf(byCode.memberId)).toBe(begun);
    },
  );

  test('opening a sign-in link changes nothing, so mail scanners cannot use it up; the button on its page signs the member in once', async () => {
    const { email, settings } = await invited();
    const browser = await asked(email);
    const { path } = await mailTo(email);
    for (let scan = 0; scan < 7; scan += 1) expect((await new Browser().call(path)).status).toBe(403);
    for (let look = 0; look < 7; look += 1) expect((await browser.call(path)).status).toBe(200);
    const waiting = browser.cookie;
    expect(await browser.call(path, {})).toMatchObject({ status: 303, headers: { location: '/' } });
    expect(await browser.call(settings)).toMatchObject({ status: 200 });
    // In the browser that is signed in, the used link leads to the overview.
    for (const form of [undefined, {}]) {
      expect(await browser.call(path, form)).toMatchObject({ status: 303, headers: { location: '/' } });
    }
    const replay = await dashboard.call(path, { cookie: waiting, form: {} });
    expect(replay).toMatchObject({ status: 400, text: expect.stringContaining('was already used') });
    expect(replay.headers['set-cookie']).toBeUndefined();
  });

  test('a sign-in link never works in a different browser, even if that browser has also requested a sign-in', async () => {
    const { email } = await invited();
    await asked(email);
    const { path, code } = await mailTo(email);
    const elsewhere = new Browser();
    for (const browser of [elsewhere, await asked((await invited()).email, elsewhere)]) {
      const answer = await browser.call(path, {});
      expect(answer).toMatchObject({
        status: 403,
        text: expect.stringContaining('only in the browser that requested it'),
      });
      expect((await browser.call('/sign-in/code', { code })).headers['set-cookie']?.join() ?? '').not.toContain(
        'session',
      );
    }
  });

  test('a code can be tried five times, even concurrently, and the sixth try is rejected even with the right code', async () => {
    const { email } = await invited();
    const browser = await asked(email);
    const { code } = await mailTo(email);
    const wrong = code === '00000000' ? '11111111' : '00000000';
    const answers = await Promise.all(Array.from({ length: 5 }, () => browser.call('/sign-in/code', { code: wrong })));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    const sixth = await browser.call('/sign-in/code', { code });
    expect(sixth).toMatchObject({ status: 400, text: expect.stringContaining('five times') });
  });

  test('only one of many concurrent requests with the right code is accepted', async () => {
    const { email } = await invited();
    const browser = await asked(email);
    const { code } = await mailTo(email);
    const cookie = browser.cookie;
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => dashboard.call('/sign-in/code', { cookie, form: { code } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400]);
  });

  test('codes and links expire after 15 minutes, and a code never works for a removed member', async () => {
    const late = await invited();
    const lateBrowser = await asked(late.email);
    const tooLate = await mailTo(late.email);
    const gone = await invited();
    const goneBrowser = await asked(gone.email);
    const goneCode = (await mailTo(gone.email)).code;
    await suite.pool.query('DELETE FROM members WHERE id = $1', [gone.memberId]);
    expect(await goneBrowser.call('/sign-in/code', { code: goneCode })).toMatchObject({ status: 400 });
    clock.advance(15 * MINUTE_MS);
    const saysWhy = { status: 400, text: expect.stringContaining('older than 15 minutes') };
    expect(await lateBrowser.call('/sign-in/code', { code: tooLate.code })).toMatchObject(saysWhy);
    expect(await lateBrowser.call(tooLate.path)).toMatchObject({ status: 200 });
    expect(await lateBrowser.call(tooLate.path, {})).toMatchObject(saysWhy);
  });

  test('a sign-in replaces the earlier session of the browser', async () => {
    const { email, settings } = await invited();
    const fixed = await seedSession(suite.pool, email, { now: clock.now() });
    const browser = await asked(email);
    const { code } = await mailTo(email);
    await dashboard.call('/sign-in/code', { cookie: `${browser.cookie}; ${fixed}`, form: { code } });
    expect(await dashboard.call(settings, { cookie: fixed })).toMatchObject({ status: 303 });
  });
});

test('a sign-in from a new device triggers one email, unless it is the first sign-in of the member', async () => {
  const { email, accountId } = await invited();
  const signIn = async (address: string, userAgent: string) => {
    const before = mailbox.mails.filter(({ to }) => to.includes(email)).length;
    const browser = await asked(email, new Browser(address, userAgent));
    expect((await browser.call('/sign-in/code', { code: (await mailTo(email, before + 1)).code })).status).toBe(303);
    const { rows } = await suite.pool.query<{ id: string }>(
      "SELECT id FROM mails WHERE recipient = $1 AND kind = 'new_device'",
      [email],
    );
    await until(
      'the arrival of all emails',
      () => mailbox.mails.filter(({ to }) => to.includes(email)).length > before + rows.length - reported,
    );
    reported = rows.length;
    return reported;
  };
  let reported = 0;
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  expect(await signIn('198.51.100.1', firefox)).toBe(0);
  expect(await signIn('198.51.100.2', firefox.replaceAll('140', '141'))).toBe(0);
  clock.advance(15 * MINUTE_MS);
  expect(await signIn('192.0.2.1', firefox)).toBe(1);
  expect(await signIn('198.51.100.1', '<b>x</b>https://evil.example/1 ')).toBe(2);
  expect(await signIn('192.0.2.9', firefox)).toBe(2);
  const mails = mailbox.mails.filter(
    ({ to, subject }) => to.includes(email) && subject === 'New sign-in to Artist Watch',
  );
  expect(mails[0]?.text).toContain(`${email} signed in with Firefox on Linux from 192.0.2.1 on `);
  expect(mails[0]?.text).toMatch(new RegExp(`http\\S+/a/${accountId}/settings`));
  expect(mails[1]?.html).not.toContain('<b>');
  expect(mails[1]?.text).not.toContain('https://evil');
});

describe('protection against strangers', () => {
  test('a sign-in request gets the same responses for members and for unknown addresses', async () => {
    const known = await invited();
    const unknown = known.email.replace('member', 'nobody');
    const [one, two] = [new Browser(), new Browser()];
    const answers = [
      [await one.call('/sign-in', { email: known.email, to: '' }), await one.call('/sign-in/code')],
      [await two.call('/sign-in', { email: unknown, to: '' }), await two.call('/sign-in/code')],
    ].map((pair) =>
      pair.map(({ status, text, headers }) => ({
        status,
        text: text.replaceAll('member-', 'nobody-'),
        headers: Object.keys(headers),
        cookies: (headers['set-cookie'] ?? []).map((set) => set.length),
      })),
    );
    expect(answers[1]).toEqual(answers[0]);
    await mailTo(known.email);
    expect(mailbox.mails.filter(({ to }) => to.includes(unknown))).toEqual([]);
    const { rows } = await suite.pool.query(
      'SELECT recipient, state FROM mails WHERE recipient = ANY($1) ORDER BY recipient',
      [[known.email, unknown]],
    );
    expect(rows).toEqual([
      { recipient: known.email, state: expect.stringMatching(/pending|sent/) },
      { recipient: unknown, state: 'discarded' },
    ]);
    expect(await two.call('/sign-in/code', { code: '12345678' })).toMatchObject({ status: 400 });
  });

  test('a sign-in request runs the same queries for members and for unknown addresses', async () => {
    const statements = recordStatements();
    const relay = await startRelay(suite.databaseUrl, statements.observe);
    const watched = await start({ DATABASE_URL: relay.url });
    const asking = async (email: string) => {
      statements.take();
      const browser = new Browser();
      expect((await browser.call('/sign-in', { email, to: '' }, watched)).status).toBe(303);
      expect((await browser.call('/sign-in/code', undefined, watched)).status).toBe(200);
      // Background loops can run statements at any time, so only compare the ones that belong to the sign-in.
      return statements.take().filter((text) => /sign_in_requests|hashtextextended/.test(text));
    };
    const known = await asking((await invited()).email);
    expect(known).toHaveLength(3);
    expect(await asking('nobody-at-all@label.example')).toEqual(known);
    await watched.stop();
    await relay.close();
  });

  test('a sign-in request does not wait for a locked member row', async () => {
    const { email } = await invited();
    const holder = await suite.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM members WHERE email = $1 FOR UPDATE', [email]);
    const browser = new Browser();
    expect((await browser.call('/sign-in', { email, to: '' })).status).toBe(303);
    expect((await browser.call('/sign-in/code')).status).toBe(200);
    await holder.query('ROLLBACK');
    holder.release();
  });

  test('no code, link or session cookie appears in the database', async () => {
    const { email } = await invited();
    const browser = await asked(email);
    const { code, path } = await mailTo(email);
    await browser.call('/sign-in/code', { code });
    const { rows } = await suite.pool.query<{ text: string }>(
      `SELECT concat((SELECT json_agg(m) FROM mails m), (SELECT json_agg(s) FROM sessions s),
                     (SELECT json_agg(r) FROM sign_in_requests r)) AS text`,
    );
    const secrets = [code, path.split('/').at(-1) as string, browser.cookie.split('=')[1] as string];
    for (const secret of secrets) expect(rows[0]?.text).not.toContain(secret);
  });

  test('an address gets at most five sign-in emails per 15 minutes, across all clients and both replicas', async () => {
    const { email } = await invited();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        new Browser().call('/sign-in', { email, to: '' }, index % 2 ? dashboard : other),
      ),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
    clock.advance(15 * MINUTE_MS);
    expect((await new Browser().call('/sign-in', { email, to: '' })).status).toBe(303);
  });

  test('requests from strangers block neither fresh codes nor sign-ins from a network that the member has used before', async () => {
    const { email } = await invited();
    const browser = await asked(email, new Browser('198.51.100.7'));
    await browser.call('/sign-in/code', { code: (await mailTo(email)).code });
    const strangers = async () => {
      const answers = Array.from({ length: 6 }, () => new Browser().call('/sign-in', { email, to: '' }));
      return (await Promise.all(answers)).filter(({ status }) => status === 303).length;
    };
    expect(await strangers()).toBe(4);
    expect((await browser.call('/fresh-code', { to: '' })).headers.location).toContain('/code');
    const asksAt = async (address: string) => (await new Browser(address).call('/sign-in', { email, to: '' })).status;
    expect(await asksAt('198.51.100.99')).toBe(303);
    expect(await asksAt('198.51.101.7')).toBe(429);
    // Requests emails until the daily limit is used up.
    do clock.advance(15 * MINUTE_MS);
    while ((await strangers()) > 0);
    expect(await asksAt('203.0.112.1')).toBe(429);
    const usual = Array.from({ length: 6 }, () => asksAt('198.51.100.7'));
    expect((await Promise.all(usual)).filter((status) => status === 303)).toHaveLength(5);
  });

  test('an address gets at most 60 sign-in emails a day, not counting fresh codes', async () => {
    const { email } = await invited();
    const browser = await asked(email, new Browser('192.0.2.200'));
    await browser.call('/sign-in/code', { code: (await mailTo(email)).code });
    let mailed = 1;
    for (let client = 101; client <= 113; client += 1) {
      const asking = Array.from({ length: 5 }, () =>
        new Browser(`192.0.2.${client}`).call('/sign-in', { email, to: '' }),
      );
      mailed += (await Promise.all(asking)).filter(({ status }) => status === 303).length;
    }
    expect(mailed).toBe(60);
    expect((await browser.call('/sign-in', { email, to: '' })).text).toContain(
      'After 20 requests in a day, try again tomorrow.',
    );
    expect((await browser.call('/fresh-code', { to: '' })).headers.location).toContain('/code');
  });

  test('a /64 network can request at most 30 sign-in emails per 15 minutes, across all addresses', async () => {
    const answers: number[] = [];
    for (let index = 0; index < 32; index += 1) {
      const browser = new Browser(`2001:db8:0:7:${index.toString(16)}::1`);
      answers.push((await browser.call('/sign-in', { email: `nobody-${index}@label.example`, to: '' })).status);
    }
    expect(answers.filter((status) => status === 429)).toHaveLength(2);
    expect((await new Browser('2001:db8:0:8::1').call('/sign-in', { email: 'x@label.example', to: '' })).status).toBe(
      303,
    );
  });

  test('a redirect after sign-in never leaves the dashboard', async () => {
    const { email } = await invited();
    const browser = new Browser();
    await browser.call('/sign-in', { email, to: '//attacker.example/a/acc_0' });
    const { code } = await mailTo(email);
    expect((await browser.call('/sign-in/code', { code })).headers.location).toBe('/');
  });
});

describe('a fresh code', () => {
  test('30 minutes after the sign-in, a fresh code is required before any change', async () => {
    const { email, accountId } = await invited();
    const browser = await asked(email);
    await browser.call('/sign-in/code', { code: (await mailTo(email)).code });
    const base = `/a/${accountId}`;
    const invite = { email: 'bob@label.example', role: 'member' };
    expect((await browser.call(`${base}/members/invite`, invite)).headers.location).toBe(`${base}/members`);
    clock.advance(31 * MINUTE_MS);
    const { headers } = await browser.call(`${base}/members/invite`, { ...invite, email: 'cleo@label.example' });
    expect(headers.location).toMatch(/^\/fresh-code\?to=/);
    const form = await browser.call(headers.location as string);
    expect(form.text).toContain("Confirm that it's you");
    expect(form.text).toContain('can repeat your last step.');
    await browser.call('/fresh-code', { to: `${base}/members` });
    const { code, path } = await mailTo(email, 2);
    expect(path).toBe('');
    const confirmed = await browser.call('/sign-in/code', { code });
    expect(confirmed.headers.location).toBe(`${base}/members`);
    const members = await browser.call(`${base}/members`);
    expect(members.text).toContain('Now repeat your last step.');
    expect(members.text).not.toContain('cleo@label.example');
    expect(
      (await browser.call(`${base}/members/invite`, { ...invite, email: 'cleo@label.example' })).headers.location,
    ).toBe(`${base}/members`);
  });

  test.each(['session', 'code'])(
    'a form sent without the required %s is kept and submitted once the member has one',
    async (missing) => {
      const { email, accountId } = await invited();
      const browser = await asked(email);
      await browser.call('/sign-in/code', { code: (await mailTo(email)).code });
      if (missing === 'session') await suite.pool.query('DELETE FROM sessions WHERE email = $1', [email]);
      clock.advance(31 * MINUTE_MS);
      const guest = `kept-${missing}@label.example`;
      const members = async () =>
        (await suite.pool.query('SELECT FROM members WHERE account_id = $1 AND email = $2', [accountId, guest]))
          .rowCount;
      const invite = { email: guest, role: 'member' };
      const sent = await browser.call(`/a/${accountId}/members/invite`, invite);
      expect(sent.status).toBe(307);
      const page = await browser.call(sent.headers.location as string, invite);
      const next = missing === 'session' ? '/sign-in?repeat' : '/fresh-code?repeat';
      expect(page.text).toContain(`action="${next}"`);
      const typed = await browser.call(next, { ...hiddenIn(page.text), ...(missing === 'session' && { email }) });
      const wrong = await browser.call('/sign-in/code?repeat', { ...hiddenIn(typed.text), code: 'x' });
      expect([wrong.status, await members()]).toEqual([400, 0]);
      const { code } = await mailTo(email, 2);
      const form = { ...hiddenIn(wrong.text), code };
      const accepted = await browser.call('/sign-in/code?repeat', form);
      expect([accepted.status, accepted.headers.location]).toEqual([307, `/a/${accountId}/members/invite`]);
      expect((await browser.call(accepted.headers.location as string, form)).status).toBe(303);
      expect(await members()).toBe(1);
    },
  );

  test('after a fresh code, the member returns to an existing page, never to a URL that only accepts POST', async () => {
    const { accountId } = await seedAccount(suite.pool);
    const { email } = await seedMember(suite.pool, accountId);
    const cookie = await seedSession(suite.pool, email, { now: clock.now(), fresh: false });
    const backFrom = async (path: string) => {
      const headers = { Referer: `${dashboard.origin}/a/${accountId}${path}` };
      const answer = await dashboard.call(`/a/${accountId}${path}`, { cookie, headers, form: {} });
      return new URLSearchParams(answer.headers.location?.split('?')[1]).get('to')?.replace(`/a/${accountId}`, '');
    };
    for (const path of ['/members/invite', '/members/mem_1/role', '/members/mem_1/remove']) {
      expect(await backFrom(path)).toBe('/members');
    }
    for (const path of ['/keys/create', '/keys/key_1/revoke']) expect(await backFrom(path)).toBe('/keys');
    expect(await backFrom('/feeds/create')).toBe('/feeds');
    expect(await backFrom('/destinations/new')).toBe('/destinations/new');
    expect(await backFrom('/destinations/dst_1/delete')).toBe('/destinations/dst_1');
  });

  test('a fresh code works neither for a sign-in nor in a different session', async () => {
    const { email } = await invited();
    const browser = await asked(email);
    await browser.call('/sign-in/code', { code: (await mailTo(email)).code });
    await browser.call('/fresh-code', { to: '' });
    const { code } = await mailTo(email, 2);
    const waiting = browser.cookie.split('; ').filter((pair) => pair.startsWith('aw-sign-in'));
    const cookie = [...waiting, await seedSession(suite.pool, email, { now: clock.now() })].join('; ');
    const elsewhere = await dashboard.call('/sign-in/code', { cookie, form: { code } });
    expect(elsewhere).toMatchObject({ status: 400 });
    const signIn = await dashboard.call('/sign-in/code', { cookie: waiting.join(), form: { code } });
    expect(signIn.headers['set-cookie']?.join() ?? '').not.toContain('aw-session');
  });
});

describe('members', () => {
  test('an invitation is emailed and audited, and is rejected above the member limit of the plan', async () => {
    const { accountId } = await seedAccount(suite.pool, 'starter');
    const owner = await seedMember(suite.pool, accountId);
    const base = `/a/${accountId}`;
    const cookie = await seedSession(suite.pool, owner.email, { now: clock.now() });
    const call = (path: string, form?: Record<string, string>) =>
      dashboard.call(`${base}${path}`, { cookie, ...(form && { form }) });
    const invite = { email: '<b>Bob</b>@label.example', role: 'member' };
    const refused = await call('/members/invite', invite);
    expect(refused).toMatchObject({ status: 400, text: expect.not.stringContaining('<b>') });
    expect(await call('/members/invite', { ...invite, email: `Last-${accountId}@label.example` })).toMatchObject({
      status: 303,
    });
    const { text, subject } = await mailTo(`last-${accountId}@label.example`);
    expect(subject).toBe("You're invited to Label on Artist Watch");
    expect(text).toContain(`${owner.email} invited`);
    const beyond = await call('/members/invite', { ...invite, email: 'beyond@label.example' });
    expect(beyond).toMatchObject({
      status: 403,
      text: expect.stringContaining('Your plan allows 2 members.'),
    });
    const again = await call('/members/invite', { ...invite, email: owner.email });
    expect(again).toMatchObject({ status: 409, text: expect.stringContaining('is already a member of this account') });
    const last = await call(`/members/${owner.memberId}/remove`, {});
    expect(last).toMatchObject({ status: 409, text: expect.stringContaining('last owner') });
    expect(last.text).toContain('only owner');
    expect(last.text).not.toContain(`/members/${owner.memberId}/`);
    const audit = await call('/audit');
    expect(audit.text).toMatch(
      new RegExp(
        `Member invited:</span> <bdi>last-${accountId}@label\\.example</bdi><p class="soft"><bdi>as a member<`,
      ),
    );
    expect(await call('/members/mem_none/remove', {})).toMatchObject({ status: 404 });
  });
});

describe('the outbox', () => {
  test('an email is sent again after a temporary rejection, but not after a permanent one', async () => {
    const { accountId } = await seedAccount(suite.pool);
    await seedMember(suite.pool, accountId, { email: 'refused@label.example' });
    await seedMember(suite.pool, accountId, { email: 'later@label.example' });
    await asked('refused@label.example');
    await asked('later@label.example');
    const rows = await until('both were tried', async () => {
      const found = await suite.pool.query(
        `SELECT recipient, state, tries, error, next_try_at > now() AS waits FROM mails
          WHERE recipient IN ('refused@label.example', 'later@label.example') AND error IS NOT NULL ORDER BY recipient`,
      );
      return found.rows.length === 2 && found.rows;
    });
    expect(rows).toEqual([
      {
        recipient: 'later@label.example',
        state: 'pending',
        tries: 1,
        waits: true,
        error: expect.stringContaining('451'),
      },
      {
        recipient: 'refused@label.example',
        state: 'refused',
        tries: 1,
        waits: null,
        error: expect.stringContaining('550'),
      },
    ]);
    const metrics = await (await fetch(`${dashboard.opsUrl}/metrics`)).text();
    expect(metrics).toMatch(/artist_watch_email_oldest_waiting_seconds\{service="dashboard"\} \d/);
  });

  test('an email that was sent but not stored as sent is sent again with the same Message-ID', async () => {
    const { email } = await invited();
    await asked(email);
    const first = await mailTo(email);
    await until('the email to have the state "sent"', async () => {
      const { rows } = await suite.pool.query("SELECT FROM mails WHERE recipient = $1 AND state = 'sent'", [email]);
      return rows.length === 1;
    });
    // Make the row look as if the process had died after the mail server accepted the email.
    await suite.pool.query("UPDATE mails SET state = 'pending', next_try_at = now() WHERE recipient = $1", [email]);
    const second = await mailTo(email, 2);
    expect(second.messageId).toBe(first.messageId);
    expect(second.headers['auto-submitted']).toBe('auto-generated');
  });
});
