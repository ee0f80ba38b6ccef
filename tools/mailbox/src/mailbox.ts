import { createServer } from 'node:http';
import { listen } from '@artist-watch/runtime/lifecycle/listen';
import { type AddressObject, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { type CaughtMail, mailboxPage } from './mailbox-page.js';

export interface Mailbox {
  readonly smtpPort: number;
  readonly httpPort: number;
  readonly mails: readonly CaughtMail[];
  stop(): Promise<void>;
}

export interface MailboxOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly smtpPort?: number;
  readonly httpPort?: number;
  /** Offers STARTTLS (RFC 3207). */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Of a mail that was caught: the sender hears of it afterwards. */
  readonly beforeAnswer?: (mail: CaughtMail) => Promise<void>;
}

/** The oldest ones go. */
const MAX_MAILS = 500;
const MAX_MAIL_BYTES = 2 * 1024 * 1024;

/**
 * Takes every mail, delivers none, and shows them: a page at `/`, JSON at `/mails` (`?to=address` for one recipient), and
 * `DELETE /mails` empties it. Recipients named `refused@…` are refused for good, those named `later@…` for now, so that
 * both can be tried.
 */
export async function openMailbox({
  host,
  smtpPort = 0,
  httpPort = 0,
  tls,
  beforeAnswer,
}: MailboxOptions): Promise<Mailbox> {
  let mails: CaughtMail[] = [];
  let count = 0;
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: tls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    ...tls,
    size: MAX_MAIL_BYTES,
    onRcptTo({ address }, _session, callback) {
      if (address.startsWith('refused@')) callback(smtpError(550, 'There is no such mailbox.'));
      else if (address.startsWith('later@')) callback(smtpError(451, 'Try again later.'));
      else callback();
    },
    onData(stream, session, callback) {
      simpleParser(stream)
        .then(async (parsed) => {
          count += 1;
          const { headerLines, subject = '', messageId = '', inReplyTo, text = '', html, from } = parsed;
          const mail: CaughtMail = {
            id: count,
            receivedAt: new Date().toISOString(),
            from: (from as AddressObject | undefined)?.text ?? '',
            to: session.envelope.rcptTo.map(({ address }) => address),
            subject,
            isEncrypted: session.secure,
            messageId,
            inReplyTo: inReplyTo ?? null,
            headers: Object.fromEntries(headerLines.map(({ key, line }) => [key, line.slice(key.length + 1).trim()])),
            text,
            html: html || '',
          };
          mails = [...mails.slice(1 - MAX_MAILS), mail];
          await beforeAnswer?.(mail);
          callback();
        })
        .catch(callback);
    },
  });
  // A client that goes away in the middle is no matter of ours.
  smtp.on('error', () => undefined);
  const http = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://mailbox');
    if (url.pathname === '/mails' && request.method === 'DELETE') {
      mails = [];
      response.writeHead(204).end();
    } else if (url.pathname === '/mails') {
      const to = url.searchParams.get('to');
      const found = to === null ? mails : mails.filter((mail) => mail.to.includes(to));
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(found));
    } else if (url.pathname === '/') {
      response.writeHead(200, PAGE_HEADERS).end(mailboxPage(mails));
    } else {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('The mailbox has / and /mails.\n');
    }
  });
  const port = await listen(smtp.server, { port: smtpPort, host, setting: 'MAILBOX_SMTP_PORT' });
  const page = await listen(http, { port: httpPort, host, setting: 'MAILBOX_PORT' });
  return {
    smtpPort: port,
    httpPort: page,
    get mails() {
      return mails;
    },
    stop: async () => {
      http.closeAllConnections();
      await Promise.all([
        new Promise<void>((resolve) => smtp.close(() => resolve())),
        new Promise<void>((resolve) => http.close(() => resolve())),
      ]);
    },
  };
}

/** What mails hold is foreign: no script runs, and nothing is loaded. */
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'",
  'X-Content-Type-Options': 'nosniff',
};

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
