import { createServer } from 'node:http';
import { listen } from '@artist-watch/runtime/settings/start-failure';
import { type AddressObject, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export interface Mailbox {
  readonly smtpPort: number;
  readonly httpPort: number;
  readonly mails: readonly CaughtMail[];
  stop(): Promise<void>;
}

export interface MailboxOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly smtpPort?: number;
  readonly httpPort?: number;
  /** STARTTLS (RFC 3207). */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly beforeAnswer?: (mail: CaughtMail) => Promise<void>;
}

/** When there are more emails than this, the mailbox deletes the oldest. */
const MAX_MAILS = 500;
const MAX_MAIL_BYTES = 2 * 1024 * 1024;

/**
 * A mail server that doesn't deliver anything. It shows emails at `/` and as JSON at `/mails` (`?to=address`), and
 * `DELETE /mails` deletes them. It rejects `refused@…` permanently and `later@…` temporarily.
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
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not found. Use / or /mails.\n');
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

/** Emails are untrusted, so the page must not run scripts or load anything. */
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'",
  'X-Content-Type-Options': 'nosniff',
};

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

export interface CaughtMail {
  readonly id: number;
  readonly receivedAt: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly isEncrypted: boolean;
  readonly messageId: string;
  readonly inReplyTo: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
}

/** Shows the newest emails first, with their HTML in a sandboxed frame. */
function mailboxPage(mails: readonly CaughtMail[]): string {
  const list = mails
    .toReversed()
    .map(
      ({ to, subject, receivedAt, text, html }, index) => `<details${index === 0 ? ' open' : ''}>
<summary><strong>${escapeHtml(subject)}</strong> to ${escapeHtml(to.join(', '))}, ${escapeHtml(receivedAt)}</summary>
<pre>${linkify(text)}</pre><iframe sandbox title="As HTML" srcdoc="${escapeHtml(html)}"></iframe></details>`,
    )
    .join('\n');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mailbox</title>
<meta name="viewport" content="width=device-width"><style>
body { font: 16px/1.5 system-ui; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere } iframe { width: 100%; height: 20rem; border: 1px solid #8888 }
</style></head><body><h1>Mailbox</h1><p>This mailbox receives all emails of this stack. As JSON: <a href="/mails">/mails</a></p>
${list || '<p>No emails yet. Reload this page after an email is sent.</p>'}</body></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function linkify(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((part, index) =>
      index % 2 === 1 ? `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>` : escapeHtml(part),
    )
    .join('');
}
