import type { MailPreferences } from '@artist-watch/domain/account/mail-preferences';
import { seedAccount, seedWatchedArtist } from '@artist-watch/harness/api-fixtures';
import { type DashboardUnderTest, seedMember, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { type Suite, useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { type Mailbox, openMailbox } from '@artist-watch/mailbox/mailbox';
import { beforeAll, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

let suite: Suite;
let mailbox: Mailbox;
let dashboard: DashboardUnderTest;
const HOSTILE = '<script>alert(1)</script>\r\nBcc: all@evil.example\u202e & <b>*x*</b> https://evil.example';

beforeAll(async () => {
  suite = await useSuite();
  mailbox = await openMailbox({ host: '127.0.0.1' });
  suite.onEnd(() => mailbox.stop());
  dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal), {
    SMTP_URL: `smtp://127.0.0.1:${mailbox.smtpPort}`,
  });
});

async function givenMember(options: Parameters<typeof seedMember>[2] = {}) {
  const { accountId } = await seedAccount(suite.pool);
  return seedMember(suite.pool, accountId, options);
}

type Given = Awaited<ReturnType<typeof givenMember>>;

async function preferencesOf({ memberId }: Given): Promise<MailPreferences | undefined> {
  const { rows } = await suite.pool.query<MailPreferences>(
    'SELECT critical_mails AS critical, destination_mails AS destinations, digest FROM members WHERE id = $1',
    [memberId],
  );
  return rows[0];
}

function settings({ accountId, cookie }: Given, form?: string) {
  const path = `/a/${accountId}/settings${form === undefined ? '' : '/mails'}`;
  return dashboard.call(path, { cookie, ...(form !== undefined && { form: new URLSearchParams(form) }) });
}

function mailsTo(email: string, subject: RegExp, count = 1) {
  return until(`${count} emails to ${email}`, () => {
    const mails = mailbox.mails.filter((mail) => mail.to.includes(email) && subject.test(mail.subject));
    return mails.length >= count && mails;
  });
}

async function givenFailing({ accountId }: Given, name: string, failures: readonly number[]): Promise<void> {
  await suite.pool.query(
    `WITH failing AS (
       INSERT INTO destinations (id, account_id, name, url, created_at)
       VALUES (new_id('dst', now()), $1, $2, 'https://receiver.example/', now()) RETURNING id)
     INSERT INTO destination_notices (id, destination_id, kind, at, consecutive_failures, reason, last_status)
     SELECT new_id('ntc', at), id, CASE WHEN n = 20 THEN 'switched_off' ELSE 'warning' END::notice_kind, at, n, 'It fails.', 503
       FROM failing, unnest($3::int[]) n, LATERAL (SELECT now() - interval '1 minute' + n * interval '1 second' AS at) i`,
    [accountId, name, failures],
  );
}

/** The change was confirmed long ago, so its email does not wait for further changes. */
async function givenCriticalChange({ accountId }: Given, name: string): Promise<void> {
  const artistId = await seedWatchedArtist(suite.pool, accountId, { name });
  await suite.pool.query(
    `WITH change AS (
       INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                            detected_at, confirmed_at, webhook_body)
       SELECT new_id('chg', at), $2, 'confirmed', 'release_removed', 'critical', 'release', '1', $3, $3, at, at, '{}'
         FROM (SELECT now() - interval '2 minutes' AS at) i RETURNING id, confirmed_at)
     INSERT INTO feed_items (account_id, confirmed_at, change_id) SELECT $1, confirmed_at, id FROM change`,
    [accountId, artistId, name],
  );
}

test('a member can choose emails, and can subscribe again after unsubscribing', async () => {
  const owner = await givenMember();
  expect((await settings(owner)).text).toMatch(/value="critical" checked.*value="destinations" checked/s);
  expect((await settings(owner, 'digest=daily&mails=destinations')).status).toBe(303);
  expect(await preferencesOf(owner)).toEqual({ critical: false, destinations: true, digest: 'daily' });
  expect((await settings(owner)).text).toMatch(/<option value="daily" selected/);
  const refused = await settings(owner, 'digest=hourly&mails=critical');
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining('Choose how often you want the digest.'),
  ]);
  expect(await preferencesOf(owner)).toEqual({ critical: false, destinations: true, digest: 'daily' });
});

test('a member can choose severity, types and artists for immediate emails and for the digest', async () => {
  const owner = await givenMember();
  const artistId = await seedWatchedArtist(suite.pool, owner.accountId, { name: 'Nina Vale' });
  const stored = async () => {
    const { rows } = await suite.pool.query(
      `SELECT mail_min_severity, mail_change_types, mail_artist_ids, digest_min_severity, digest_change_types,
              digest_artist_ids FROM members WHERE id = $1`,
      [owner.memberId],
    );
    return Object.values(rows[0]);
  };
  expect(await stored()).toEqual(['critical', [], [], null, [], []]);
  const rules = `mail_min_severity=&mail_change_types=label_changed&mail_artist_ids=${artistId}&digest_min_severity=warning`;
  expect((await settings(owner, `digest=daily&mails=critical&${rules}`)).status).toBe(303);
  const chosen = [null, ['label_changed'], [artistId], 'warning', [], []];
  expect(await stored()).toEqual(chosen);
  const { text } = await settings(owner);
  expect(text).toContain('name="mail_change_types" value="label_changed" checked');
  expect(text).toContain(`name="mail_artist_ids" value="${artistId}" checked`);
  expect(text).toMatch(/name="digest_min_severity".*?<option value="warning" selected/s);
  expect((await settings(owner, 'digest=daily&mails=critical')).status).toBe(303);
  const refused = await settings(owner, 'digest=daily&mails=critical&mail_min_severity=loud');
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Choose a severity')]);
  expect(await stored()).toEqual(chosen);
});

test('only owners can choose emails about destinations', async () => {
  const member = await givenMember({ role: 'member' });
  expect((await settings(member)).text).not.toContain('value="destinations"');
  expect((await settings(member, 'digest=never&mails=critical')).status).toBe(303);
  expect(await preferencesOf(member)).toEqual({ critical: true, destinations: true, digest: 'never' });
});

test('the member and the owners see that an email was rejected, with the escaped response of the mail server', async () => {
  const owner = await givenMember();
  const other = await givenMember();
  await suite.pool.query(
    `INSERT INTO mails (id, account_id, member_id, recipient, kind, data, state, created_at, settled_at, error)
     VALUES (new_id('mai', now()), $1, $2, 'x@label.example', 'digest', '{}', 'refused', now(), now(), '550 <b>no</b>')`,
    [owner.accountId, owner.memberId],
  );
  expect((await settings(owner)).text).toContain('550 &lt;b>no&lt;/b>');
  const members = await dashboard.call(`/a/${owner.accountId}/members`, { cookie: owner.cookie });
  expect(members.text).toContain('550 &lt;b>no&lt;/b>');
  expect((await settings(other)).text).not.toContain('rejected');
});

test.each([
  ['refused@label.example', '550', 'The last email to you was rejected<'],
  ['later@label.example', '451', "The last email to you was rejected. We're trying again<"],
])('the response %s of the mail server is shown to the member and to the owners', async (email, code, title) => {
  const owner = await givenMember();
  const member = await seedMember(suite.pool, owner.accountId, { role: 'member', email });
  await givenCriticalChange(owner, 'Nina Vale');
  await until('the message about the rejection', async () => (await settings(member)).text.includes(title));
  expect((await settings(member)).text).toContain(`: ${code} `);
  const members = await dashboard.call(`/a/${owner.accountId}/members`, { cookie: owner.cookie });
  expect(members.text).toMatch(new RegExp(`The last email was rejected.*${code} `, 's'));
});

test('emails about a failing destination form one thread, and owners can unsubscribe with one click', async () => {
  const owner = await givenMember();
  const member = await seedMember(suite.pool, owner.accountId, { role: 'member' });
  await givenFailing(owner, 'Catalogue', [10, 15, 20]);
  const mails = await mailsTo(owner.email, /Catalogue$/, 3);
  const [first, ...answers] = mails.toSorted(
    (one, other) => Number(one.inReplyTo !== null) - Number(other.inReplyTo !== null),
  );
  expect(first?.text).toContain('has failed 10 times in a row. The last response was 503.');
  expect(first?.subject).toBe('Channel failing: Catalogue');
  expect(first?.messageId).toMatch(/^<ntc_\w+\.mem_\w+@127\.0\.0\.1>$/);
  expect(first?.inReplyTo).toBeNull();
  expect(answers.map(({ subject }) => subject).toSorted()).toEqual([
    'Channel failing: Catalogue',
    'Channel switched off: Catalogue',
  ]);
  for (const {
    inReplyTo,
    headers: { references },
  } of answers) {
    expect([inReplyTo, references]).toEqual([first?.messageId, first?.messageId]);
  }
  expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(3);
  expect(mailbox.mails.filter(({ to }) => to.includes(member.email))).toEqual([]);

  const headers = mails[0]?.headers ?? {};
  expect(headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
  const path =
    /^<http:\/\/[^/]+(\/unsubscribe\/[^>]+)>$/.exec((headers['list-unsubscribe'] ?? '').replace(/\s/g, ''))?.[1] ?? '';
  expect((await dashboard.call(path)).status).toBe(200);
  expect((await dashboard.call(path, { method: 'HEAD' })).status).toBe(200);
  expect(await preferencesOf(owner)).toMatchObject({ destinations: true });
  // Email providers post the form without cookies and without opening a page first.
  const oneClick = { form: { 'List-Unsubscribe': 'One-Click' }, headers: { 'Sec-Fetch-Site': 'cross-site' } };
  for (const wrong of [path.replace('destinations', 'critical'), `${path.slice(0, -1)}_`, `${path}x`]) {
    expect((await dashboard.call(wrong, oneClick)).status).toBe(404);
  }
  expect(await preferencesOf(owner)).toEqual({ critical: true, destinations: true, digest: 'weekly' });
  for (let times = 0; times < 2; times += 1) expect((await dashboard.call(path, oneClick)).status).toBe(200);
  expect(await preferencesOf(owner)).toEqual({ critical: true, destinations: false, digest: 'weekly' });
  expect(await preferencesOf(member)).toMatchObject({ destinations: true });
});

test('an email shows hostile names as plain text on a single line in the subject, the text and the HTML', async () => {
  const owner = await givenMember();
  await givenCriticalChange(owner, HOSTILE);
  await givenFailing(owner, HOSTILE, [10]);
  const mails = await mailsTo(owner.email, /evil/, 2);
  expect(mails).toHaveLength(2);
  for (const { to, headers, subject, text, html } of mails) {
    expect(to).toEqual([owner.email]);
    expect(Object.keys(headers)).not.toContain('bcc');
    expect(subject).toContain('<script>alert(1)</script> Bcc: all@evil.example & <b>*x*</b> https:');
    for (const shown of [subject, text, html]) expect(shown).not.toMatch(/\u202e|https:\/\/evil/);
    expect(text).not.toMatch(/^Bcc/m);
    expect(html).not.toMatch(/<script|<b>/);
    expect(html).toContain('&lt;script>alert(1)&lt;/script>');
  }
});

test('owners get an email about an API key that expires within a week', async () => {
  const { accountId, email } = await givenMember();
  await suite.pool.query(
    `INSERT INTO api_keys (id, account_id, secret_sha256, hint, name, created_at, expires_at)
     VALUES (new_id('key', now()), $1::text, sha256($1::text::bytea), 'aw_live_4f2A', 'Reports', now() - interval '30 days',
             now() + interval '6 days')`,
    [accountId],
  );
  const [mail] = await mailsTo(email, /^API key expires/);
  expect(mail?.text).toContain('The API key “Reports” that begins with aw_live_4f2A');
  expect(mail?.text).toContain(`/a/${accountId}/keys`);
});

test('an email names its account if the recipient is a member of several accounts', async () => {
  const [one, other] = [await givenMember(), await givenMember()];
  const { email } = one;
  await seedMember(suite.pool, other.accountId, { email });
  for (const [given, name] of [
    [one, 'Nordlicht'],
    [other, `Sud ${HOSTILE}`],
  ] as const) {
    const { accountId } = given;
    await suite.pool.query('UPDATE accounts SET name = $2 WHERE id = $1', [accountId, name]);
    await suite.pool.query(
      `INSERT INTO api_keys (id, account_id, secret_sha256, hint, created_at)
       VALUES (new_id('key', now()), $1::text, sha256($1::text::bytea), 'aw_live_', now())`,
      [accountId],
    );
    await givenCriticalChange(given, 'Nina Vale');
  }
  for (const subject of [/was removed from Deezer$/, /^New API key/]) {
    const texts = (await mailsTo(email, subject, 2)).map(
      ({ text }) => /(?:member of|the account) (\w+)/.exec(text)?.[1],
    );
    expect(texts.toSorted()).toEqual(['Nordlicht', 'Sud']);
  }
  for (const { text, html } of await mailsTo(email, /./, 4)) {
    expect(text).not.toMatch(/\u202e|https:\/\/evil|^Bcc/m);
    expect(html).not.toContain('<script');
  }
});

test('the subject and the text of an email keep zero-width joiners in emoji and Persian words', async () => {
  const [emoji, words] = ['\u{1f469}\u200d\u{1f3a4}', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0646\u0645'];
  const name = `${emoji} ${words}`;
  const isolated = `${emoji} \u2068${words}\u2069`;
  const owner = await givenMember();
  await givenCriticalChange(owner, name);
  const [mail] = await mailsTo(owner.email, /was removed from Deezer$/);
  expect(mail?.subject).toBe(`“${isolated}” by ${isolated} was removed from Deezer`);
  expect(mail?.text).toContain(isolated);
});

test('hostile names of artists and destinations stay on one line in subjects, and add no elements to the HTML', async () => {
  const names = [
    '<script>alert(1)</script>',
    '"onload="alert(1)',
    '\u202egnp.exe',
    '{"__html":"<b>x</b>"}',
    '=HYPERLINK("https://attacker.example")',
  ];
  const owner = await givenMember();
  for (const name of names) {
    await givenCriticalChange(owner, name);
    await givenFailing(owner, name, [10]);
  }
  // The zero-width character keeps email clients from turning the name into a link.
  const shown = names.map((name) => name.replace('\u202e', '').replace('://', ':\u2060//'));
  // The filter excludes other emails, such as the one about the account's API key.
  const mails = await mailsTo(owner.email, /^Channel failing|was removed from Deezer$/, 2 * names.length);
  expect(mails.map(({ subject }) => subject).toSorted()).toEqual(
    shown.flatMap((name) => [`Channel failing: ${name}`, `“${name}” by ${name} was removed from Deezer`]).toSorted(),
  );
  for (const { headers, text, html } of mails) {
    expect(Object.keys(headers)).not.toContain('bcc');
    expect(shown.some((name) => text.includes(name))).toBe(true);
    expect(html).not.toMatch(/<script|<b>|<[^>]*onload|\u202e/);
    expect(html.replace(/ href="[^"]*"/g, '')).not.toContain('https://attacker');
  }
});

test.each([
  ['critical_mails = false', ['critical_changes', 'critical_summary']],
  ['destination_mails = false', ['destination_failing']],
  ["digest = 'never'", ['digest']],
])('unsubscribing (%s) discards only queued emails of that kind', async (preference, stopped) => {
  const { accountId, memberId, email } = await givenMember();
  await suite.pool.query(`UPDATE members SET ${preference} WHERE id = $1`, [memberId]);
  await suite.pool.query(
    `INSERT INTO mails (id, account_id, member_id, recipient, kind, data, next_try_at, created_at)
     SELECT new_id('mai', now()), $1, $2, $3, kind, '{}', now(), now()
       FROM unnest(ARRAY['critical_changes', 'critical_summary', 'destination_failing', 'digest', 'new_key']) kind`,
    [accountId, memberId, email],
  );
  const settled = await until('the final state of the emails', async () => {
    const { rows } = await suite.pool.query<{ kind: string; error: string }>(
      'SELECT kind, error FROM mails WHERE recipient = $1 AND settled_at IS NOT NULL ORDER BY kind',
      [email],
    );
    return rows.length === 5 && rows;
  });
  const discarded = settled.filter(({ error }) => error === 'The recipient has unsubscribed.');
  expect(discarded.map(({ kind }) => kind)).toEqual(stopped);
});
