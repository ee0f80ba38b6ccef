import type { MailId } from '@artist-watch/domain/ids';
import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { Database } from '@artist-watch/persistence/database/database';
import type { ClaimedMail, MailOutbox, MailOutcome } from '@artist-watch/persistence/mail/outbox';
import { queueDigests } from '@artist-watch/persistence/mail/queue-digests';
import { forgetMailedChanges, queueMails } from '@artist-watch/persistence/mail/queue-mails';
import { type Clock, sleep } from '@artist-watch/runtime/clock';
import { every, type Periodic } from '@artist-watch/runtime/periodic';
import { letterHtml, letterText, type MailKind, shown } from './letter.js';
import type { MailTransport, OutgoingMail } from './transport.js';

interface MailMakingOptions {
  readonly database: Pick<Database, 'pool'>;
  readonly groupWaitMs: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  onMade(): void;
}

/** The polling interval is a tenth of `groupWaitMs`, but stays within these bounds. */
const LOOK_EVERY_MS = { min: 200, max: 5_000 };
const DIGESTS_EVERY_MS = 60_000;

export function startMailMaking(options: MailMakingOptions): { readonly done: Promise<unknown> } {
  const { database, groupWaitMs, log, signal, onMade } = options;
  /** Reads the database's clock, because change times also come from it. This machine's clock may be wrong. */
  async function databaseNow(): Promise<Date> {
    const { rows } = await database.pool.query<{ now: Date }>({ name: 'mail-clock', text: 'SELECT now()' });
    return rows[0]?.now ?? new Date();
  }
  const report = (what: string) => (made: number) => {
    if (made === 0) return;
    log.info('mail.made', { what, made });
    onMade();
  };
  const events = every({
    intervalMs: Math.min(LOOK_EVERY_MS.max, Math.max(LOOK_EVERY_MS.min, groupWaitMs / 10)),
    signal,
    onError: (error) => log.warn('mail.making_failed', { error }),
    run: async () => report('events')(await queueMails(database.pool, { now: await databaseNow(), groupWaitMs })),
  });
  const digests = every({
    intervalMs: DIGESTS_EVERY_MS,
    signal,
    onError: (error) => log.warn('mail.making_failed', { error }),
    async run() {
      const now = await databaseNow();
      for (let made = 1; made > 0 && !signal.aborted; ) {
        made = await queueDigests(database.pool, now);
        report('digests')(made);
      }
      await forgetMailedChanges(database.pool, now);
    },
  });
  return { done: Promise.all([events.done, digests.done]) };
}

export interface MailerOptions {
  readonly outbox: MailOutbox;
  readonly transport: MailTransport;
  readonly kinds: Readonly<Record<string, MailKind>>;
  /** All links start with this URL, and Message-IDs use its host as their domain. */
  readonly dashboardUrl: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

/** Retries and emails queued by other processes wait for the next poll. */
const POLL_INTERVAL_MS = 1_000;
const AT_ONCE = 20;
/**
 * If a process dies, its claimed emails become available to others after this time. A running process renews its
 * leases.
 */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
const SETTLE_AGAIN_MS = 500;

const MINUTE_MS = 60_000;
/** The last pause is repeated until the email is a day old. */
const RETRY_PAUSES_MS = [10_000, 30_000, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS];
/** The pause is long, because every attempt may send the recipient another copy. */
const UNKNOWN_PAUSE_MS = 60 * MINUTE_MS;
const GIVE_UP_AFTER_MS = 24 * 60 * MINUTE_MS;

/** Sends due emails. After a crash, another process sends them again with the same Message-ID. */
export function startMailer(options: MailerOptions): Periodic {
  const { outbox, log, metrics, signal } = options;
  const settled = metrics.counter({
    name: 'artist_watch_emails_settled_total',
    help: 'Emails that need no further attempt, by kind and result: `sent`, `refused` (rejected permanently by the mail server, or not accepted within a day), or `discarded` (expired, or the recipient has left or unsubscribed).',
    labels: ['kind', 'result'],
  });
  metrics.gauge({
    name: 'artist_watch_email_oldest_waiting_seconds',
    help: 'Seconds that the oldest due email has been waiting in the outbox.',
    collect: async (gauge) => gauge.set(await outbox.oldestWaitSeconds()),
  });

  /** A mail server may take minutes to respond (RFC 5321, section 4.5.3.2). */
  const sendingById = new Map<MailId, Promise<void>>();
  const onError = (error: unknown) => log.warn('mail.outbox_failed', { error });

  async function deliver(mail: ClaimedMail): Promise<void> {
    let renewal: Promise<void> | undefined;
    const outcome = await attempt(mail, options, () => {
      renewal = outbox.renew([mail.id], UNKNOWN_PAUSE_MS).catch(onError);
    });
    // If the lease were renewed after the result is stored, the next attempt would be delayed.
    await renewal;
    await settleUntilWritten(mail, outcome);
    const kind = Object.hasOwn(options.kinds, mail.kind) ? mail.kind : 'unknown';
    if (outcome.kind !== 'retry') settled.inc({ kind, result: outcome.kind });
    log[outcome.kind === 'sent' ? 'info' : 'warn']('mail.tried', {
      mailId: mail.id,
      kind: mail.kind,
      tries: mail.tries,
      result: outcome.kind,
      reason: outcome.kind === 'sent' ? undefined : outcome.error,
    });
  }

  /** Keeps retrying while the database is unavailable, because the recipient would otherwise get the email twice. */
  async function settleUntilWritten(mail: ClaimedMail, outcome: MailOutcome): Promise<void> {
    for (;;) {
      try {
        return await outbox.settle(mail, outcome);
      } catch (error) {
        if (signal.aborted) throw error;
        onError(error);
        await sleep(SETTLE_AGAIN_MS);
      }
    }
  }

  let mayBeMore = false;
  const claiming = every({
    intervalMs: POLL_INTERVAL_MS,
    signal,
    onError,
    run: async () => {
      const limit = AT_ONCE - sendingById.size;
      // Emails with an expiry time come first, so with only one free slot, they could keep all other emails waiting.
      if (limit < 2) return;
      const mails = await outbox.claim({ limit, leaseMs: LEASE_MS });
      mayBeMore = mails.length === limit;
      for (const mail of mails) {
        // The lease expired while the database was unavailable, but this process is still sending the email.
        if (sendingById.has(mail.id)) continue;
        const ended = () => {
          sendingById.delete(mail.id);
          if (mayBeMore) claiming.nudge();
        };
        sendingById.set(mail.id, deliver(mail).catch(onError).finally(ended));
      }
    },
  });
  const sending = new AbortController();
  const renewing = every({
    intervalMs: RENEW_EVERY_MS,
    firstAfterMs: RENEW_EVERY_MS,
    signal: sending.signal,
    onError,
    run: async () => {
      if (sendingById.size > 0) await outbox.renew([...sendingById.keys()], LEASE_MS);
    },
  });
  async function end(): Promise<void> {
    await claiming.done;
    await Promise.all(sendingById.values());
    sending.abort();
    await renewing.done;
  }
  return { nudge: claiming.nudge, done: end() };
}

async function attempt(mail: ClaimedMail, options: MailerOptions, onWritten: () => void): Promise<MailOutcome> {
  const { transport, kinds, dashboardUrl, clock } = options;
  const now = clock.now();
  if (mail.expiresAt && mail.expiresAt <= now)
    return { kind: 'discarded', error: 'The email expired before it could be sent.' };
  if (mail.hasLeft) return { kind: 'discarded', error: 'The recipient is no longer a member.' };
  if (mail.hasUnsubscribed) return { kind: 'discarded', error: 'The recipient has unsubscribed.' };
  const kind = kinds[mail.kind];
  // A replica running a newer version may be able to send the email.
  if (!kind)
    return { kind: 'retry', error: `This version doesn't know the email kind ${mail.kind}.`, afterMs: MINUTE_MS };
  const { origin, hostname } = new URL(dashboardUrl);
  const messageId = (name: string) => `<${name}@${hostname}>`;
  const { recipient, zone } = mail;
  const link = (path: string) => `${origin}${path}`;
  const context = { link, recipient, zone, now, accountName: shown(mail.accountName) };
  let letter: ReturnType<typeof kind.write>;
  try {
    letter = kind.write(mail.data, context);
  } catch (error) {
    return { kind: 'refused', error: `We couldn't write the email: ${(error as Error).name}` };
  }
  const { thread } = letter;
  const isReply = thread?.isFirst === false;
  const outgoing: OutgoingMail = {
    to: recipient,
    subject: shown(letter.subject),
    text: letterText(letter),
    html: letterHtml(letter, context.accountName),
    messageId: messageId(thread?.isFirst ? thread.first : mail.id),
    inReplyTo: isReply ? messageId(thread.first) : undefined,
    unsubscribeUrl: letter.unsubscribeUrl,
  };
  const result = await transport.send(outgoing, onWritten);
  if (result.kind === 'sent' || result.kind === 'refused') return result;
  const pauseMs =
    result.kind === 'unknown'
      ? UNKNOWN_PAUSE_MS
      : (RETRY_PAUSES_MS[Math.min(mail.tries, RETRY_PAUSES_MS.length) - 1] as number);
  if (now.getTime() - mail.createdAt.getTime() > GIVE_UP_AFTER_MS) return { kind: 'refused', error: result.error };
  return { kind: 'retry', error: result.error, afterMs: pauseMs };
}
