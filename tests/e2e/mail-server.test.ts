import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeCertificates } from '@artist-watch/harness/certificates';
import { dashboardSettings } from '@artist-watch/harness/dashboard-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { until } from '@artist-watch/harness/until';
import { type MailerOptions, startMailer } from '@artist-watch/mail/mailer';
import { smtpTransport } from '@artist-watch/mail/transport';
import { openMailbox } from '@artist-watch/mailbox/mailbox';
import { createLogger } from '@artist-watch/observability/logger';
import { createMetrics } from '@artist-watch/observability/metrics';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { insertMails, mailOutbox } from '@artist-watch/persistence/mail/outbox';
import { type Clock, sleep, systemClock } from '@artist-watch/runtime/clock';
import { listen } from '@artist-watch/runtime/settings/start-failure';
import { expect, test } from '@jest/globals';

const program = fileURLToPath(new URL('../../services/dashboard/dist/main.js', import.meta.url));
const suite = await useSuite();
const directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-mail-server-'));
suite.onEnd(() => rm(directory, { recursive: true }));
const files = await writeCertificates(directory);

/** The server accepts the first email, but its response does not reach the sender. */
let isFirst = true;
const mailbox = await openMailbox({
  host: '127.0.0.1',
  tls: { key: await readFile(files.key, 'utf8'), cert: await readFile(files.certificate, 'utf8') },
  beforeAnswer: async () => {
    if (isFirst) await new Promise(() => undefined);
  },
});
suite.onEnd(() => mailbox.stop());
const smtpUrl = `smtp://127.0.0.1:${mailbox.smtpPort}?requireTLS=true`;

/** An installation runs the dashboard in a separate process too. */
function startProcess(): ChildProcess {
  const settings = { ...dashboardSettings(suite), OPS_PORT: '0', SMTP_URL: smtpUrl };
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, ...settings, NODE_EXTRA_CA_CERTS: files.authority },
    stdio: 'ignore',
  });
  suite.onEnd(() => end(child, 'SIGTERM'));
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

test('an email is sent again with the same Message-ID if its mailer is killed before it stores the result', async () => {
  await insertMails(
    suite.pool,
    [
      {
        accountId: null,
        memberId: null,
        recipient: 'ann@label.example',
        kind: 'invitation',
        data: { account: 'Label', by: null },
      },
    ],
    new Date(),
  );
  const first = startProcess();
  await until('the email', () => mailbox.mails.length === 1, 60_000);
  await until('the lease of the email to last an hour', async () => (await minutesToNextTry('ann@label.example')) > 55);
  isFirst = false;
  await end(first, 'SIGKILL');
  const { rows } = await suite.pool.query('SELECT state, tries FROM mails');
  expect(rows).toEqual([{ state: 'pending', tries: 1 }]);
  expect(await minutesToNextTry('ann@label.example')).toBeGreaterThan(55);
  await suite.pool.query('UPDATE mails SET next_try_at = now()');
  const second = startProcess();
  await until(
    'the email to be settled as sent',
    async () => (await suite.pool.query("SELECT FROM mails WHERE state = 'sent'")).rowCount === 1,
    60_000,
  );
  expect(mailbox.mails.map(({ isEncrypted, to }) => [isEncrypted, to])).toEqual([
    [true, ['ann@label.example']],
    [true, ['ann@label.example']],
  ]);
  expect(new Set(mailbox.mails.map(({ messageId }) => messageId)).size).toBe(1);
  // Otherwise the dashboard would send emails of other tests.
  await end(second, 'SIGTERM');
});

test('an email is not sent to a server with an untrusted certificate, nor without TLS where TLS is required', async () => {
  const plain = await openMailbox({ host: '127.0.0.1' });
  suite.onEnd(() => plain.stop());
  const before = mailbox.mails.length;
  for (const url of [smtpUrl.replace('?requireTLS=true', ''), `smtp://127.0.0.1:${plain.smtpPort}?requireTLS=true`]) {
    const transport = smtpTransport(url, 'mail@label.example');
    expect(await transport.send(MAIL)).toMatchObject({ kind: 'failed' });
    transport.close();
  }
  expect([mailbox.mails.length, plain.mails.length]).toEqual([before, 0]);
});

test.each([
  ['Artist Watch <mail@label.example>', 'Artist Watch <mail@label.example>'],
  ['Label: Watch <mail@label.example>', '"Label: Watch" <mail@label.example>'],
  ['Support (Billing) <mail@label.example>', '"Support (Billing)" <mail@label.example>'],
  ['Label, Inc. @ Home <mail@label.example>', '"Label, Inc. @ Home" <mail@label.example>'],
  ['"Label \\"A\\"; Inc." <mail@label.example>', '"Label \\"A\\"; Inc." <mail@label.example>'],
  ['mail@label.example', 'mail@label.example'],
])('the sender can have any name: %s', async (from, header) => {
  const plain = await openMailbox({ host: '127.0.0.1' });
  const transport = smtpTransport(`smtp://127.0.0.1:${plain.smtpPort}`, from);
  expect(await transport.send(MAIL)).toEqual({ kind: 'sent' });
  transport.close();
  expect(plain.mails.map(({ headers }) => headers.from)).toEqual([header]);
  await plain.stop();
});

async function minutesToNextTry(recipient: string): Promise<number> {
  const { rows } = await suite.pool.query<{ minutes: number }>(
    'SELECT extract(epoch FROM next_try_at - now())::float8 / 60 AS minutes FROM mails WHERE recipient = $1',
    [recipient],
  );
  return rows[0]?.minutes ?? 0;
}

/** The server accepts every command after `greeting`. `onDot` responds to the final dot. */
async function openMailServer(options: {
  readonly greeting?: () => Promise<unknown>;
  readonly onContent?: (socket: Socket) => void;
  readonly onDot: (socket: Socket) => unknown;
}): Promise<number> {
  const serve = async (socket: Socket) => {
    await options.greeting?.();
    socket.write('220 slow.example\r\n');
    let isContent = false;
    let received = '';
    for await (const chunk of socket) {
      received += chunk;
      if (isContent) options.onContent?.(socket);
      if (isContent && received.endsWith('\r\n.\r\n')) {
        isContent = false;
        received = '';
        await options.onDot(socket);
      } else if (!isContent && received.endsWith('\r\n')) {
        isContent = received === 'DATA\r\n';
        received = '';
        socket.write(isContent ? '354 Go ahead\r\n' : '250 OK\r\n');
      }
    }
  };
  const server = createServer((socket) => {
    // The test closes connections.
    socket.on('error', () => undefined);
    serve(socket).catch(() => socket.destroy());
  });
  suite.onEnd(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return await listen(server, { port: 0, host: '127.0.0.1', setting: 'PORT' });
}

const MAIL = {
  ...{ to: 'ann@label.example', subject: 'x', text: 'x', html: 'x', messageId: '<x@label.example>' },
  ...{ inReplyTo: undefined, unsubscribeUrl: undefined },
};

async function sendTo(port: number, mail = MAIL) {
  const transport = smtpTransport(`smtp://127.0.0.1:${port}`, 'mail@label.example');
  const result = await transport.send(mail);
  transport.close();
  return result;
}

test('a mail server may take 12 s for its greeting, and 45 s to accept an email', async () => {
  const accept = (socket: Socket) => socket.write('250 Accepted\r\n');
  const results = await Promise.all([
    sendTo(await openMailServer({ greeting: () => sleep(12_000), onDot: accept })),
    sendTo(await openMailServer({ onDot: (socket) => sleep(45_000).then(() => accept(socket)) })),
  ]);
  expect(results).toEqual([{ kind: 'sent' }, { kind: 'sent' }]);
}, 120_000);

test('the result of an email is unknown only if the connection ends after the final dot', async () => {
  const lost = { onDot: (socket: Socket) => socket.destroy() };
  expect(await sendTo(await openMailServer(lost))).toMatchObject({ kind: 'unknown' });
  const closed = { onDot: (socket: Socket) => socket.end() };
  expect(await sendTo(await openMailServer(closed))).toMatchObject({ kind: 'unknown' });
  const early = { ...lost, onContent: (socket: Socket) => socket.resetAndDestroy() };
  const long = { ...MAIL, text: 'A long line of the mail.\n'.repeat(400_000) };
  expect(await sendTo(await openMailServer(early), long)).toMatchObject({ kind: 'failed' });
  const busy = { onDot: (socket: Socket) => socket.end('421 Too busy\r\n') };
  expect(await sendTo(await openMailServer(busy))).toMatchObject({ kind: 'failed' });
  const strict = { onDot: (socket: Socket) => socket.write('554 Spam\r\n') };
  expect(await sendTo(await openMailServer(strict))).toMatchObject({ kind: 'refused' });
});

test('a mail server that closes every connection before its greeting gets two connections per try', async () => {
  let connections = 0;
  const greeting = () => {
    connections += 1;
    throw new Error('closed');
  };
  expect(await sendTo(await openMailServer({ greeting, onDot: () => undefined }))).toMatchObject({ kind: 'failed' });
  expect(connections).toBe(2);
});

test('an email whose result is unknown is retried after an hour', async () => {
  const recipient = 'unknown@label.example';
  const { outbox, start } = openMailers(await openMailServer({ onDot: (socket) => socket.destroy() }));
  const ending = new AbortController();
  const mailer = start({ clock: systemClock, outbox, signal: ending.signal });
  await insertPlainMail(recipient);
  const isSettled = async () =>
    (await suite.pool.query('SELECT FROM mails WHERE recipient = $1 AND error IS NOT NULL', [recipient])).rowCount ===
    1;
  await until('the first attempt to end', isSettled);
  expect(await minutesToNextTry(recipient)).toBeGreaterThan(55);
  ending.abort();
  await mailer.done;
  await suite.pool.query('DELETE FROM mails WHERE recipient = $1', [recipient]);
});

function openMailers(smtpPort: number, databaseOptions: { readonly lockTimeoutMs?: number } = {}) {
  const database = openDatabase({
    ...{ url: suite.databaseUrl, poolSize: 4, applicationName: 'mailers' },
    ...databaseOptions,
  });
  suite.onEnd(() => database.close());
  const transport = smtpTransport(`smtp://127.0.0.1:${smtpPort}`, 'mail@label.example');
  suite.onEnd(async () => transport.close());
  return {
    outbox: mailOutbox(database),
    start: (options: Pick<MailerOptions, 'outbox' | 'clock' | 'signal'>) =>
      startMailer({
        ...{ transport, dashboardUrl: 'http://127.0.0.1' },
        kinds: { plain: { write: () => ({ subject: 'Plain', parts: [] }) } },
        log: createLogger({ service: 'dashboard', level: 'error' }),
        metrics: createMetrics({ service: 'dashboard' }),
        ...options,
      }),
  };
}

function insertPlainMail(recipient: string): Promise<void> {
  return insertMails(suite.pool, [{ accountId: null, memberId: null, recipient, kind: 'plain', data: {} }], new Date());
}

test('an email that the mail server accepts slowly delays no others, and a replica with a wrong clock does not claim it', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = await openMailbox({
    host: '127.0.0.1',
    beforeAnswer: ({ to }) => (to.includes('slow@label.example') ? released : Promise.resolve()),
  });
  suite.onEnd(() => slow.stop());
  const { outbox, start } = openMailers(slow.smtpPort);
  const ending = new AbortController();
  const startOne = (clock: Clock, onClaimed = () => {}) =>
    start({
      ...{ clock, signal: ending.signal },
      outbox: { ...outbox, claim: (options) => outbox.claim(options).finally(onClaimed) },
    });
  const arrived = (recipient: string) =>
    until(`the email to ${recipient}`, () => slow.mails.some(({ to }) => to.includes(recipient)));

  await insertPlainMail('slow@label.example');
  const one = startOne(systemClock);
  await arrived('slow@label.example');
  await insertPlainMail('next@label.example');
  await arrived('next@label.example');
  let claims = 0;
  const another = startOne(new TestClock(new Date(Date.now() + 3_600_000)), () => {
    claims += 1;
  });
  await until('the other mailer to look for emails', () => claims > 0);
  const { rows } = await suite.pool.query("SELECT tries FROM mails WHERE recipient = 'slow@label.example'");
  expect(rows).toEqual([{ tries: 1 }]);

  release();
  ending.abort();
  await Promise.all([one.done, another.done]);
  // Each mailer has finished its emails before it stopped.
  expect((await suite.pool.query("SELECT FROM mails WHERE state <> 'sent'")).rowCount).toBe(0);
});

test('an email that was sent while PostgreSQL was down is not sent again, and is settled when PostgreSQL is back', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const recipient = 'once@label.example';
  const slow = await openMailbox({ host: '127.0.0.1', beforeAnswer: () => released });
  suite.onEnd(() => slow.stop());
  const { outbox, start } = openMailers(slow.smtpPort, { lockTimeoutMs: 200 });
  const ending = new AbortController();
  let unrecorded = 0;
  const mailer = start({
    ...{ clock: systemClock, signal: ending.signal },
    outbox: {
      ...outbox,
      settle: (mail, outcome) =>
        outbox.settle(mail, outcome).catch((error: unknown) => {
          unrecorded += 1;
          throw error;
        }),
    },
  });
  await insertPlainMail(recipient);
  await until('the email', () => slow.mails.length === 1);
  const lock = await suite.pool.connect();
  await lock.query('BEGIN');
  await lock.query('LOCK TABLE mails IN ACCESS EXCLUSIVE MODE');
  release();
  await until('the failed settlement', () => unrecorded > 0);
  await lock.query('COMMIT');
  lock.release();
  const recorded = () =>
    suite.pool.query('SELECT tries FROM mails WHERE recipient = $1 AND state = $2', [recipient, 'sent']);
  await until('the email to be settled as sent', async () => (await recorded()).rowCount === 1, 60_000);
  expect((await recorded()).rows).toEqual([{ tries: 1 }]);
  expect(slow.mails).toHaveLength(1);
  ending.abort();
  await mailer.done;
});
