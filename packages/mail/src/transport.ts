import { createTransport } from 'nodemailer';

export interface OutgoingMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for every try, so that a mail program recognizes a repeat after a crash. */
  readonly messageId: string;
  /** The Message-ID of the thread's first email. */
  readonly inReplyTo: string | undefined;
  readonly unsubscribeUrl: string | undefined;
}

/** The result of one try. `refused`: the mail server will never accept this email. */
export type MailResult =
  | { readonly kind: 'sent' }
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'failed'; readonly error: string };

const MAX_CONNECTIONS = 3;
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;
const MAX_ERROR_CHARS = 300;

export type MailTransport = ReturnType<typeof smtpTransport>;

/**
 * @param url SMTP_URL
 * @param from MAIL_FROM
 */
export function smtpTransport(url: string, from: string) {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ unsubscribeUrl, inReplyTo, ...mail }: OutgoingMail): Promise<MailResult> {
      try {
        await transport.sendMail({
          from,
          ...mail,
          ...(inReplyTo !== undefined && { inReplyTo, references: inReplyTo }),
          headers: {
            // Prevents out-of-office replies (RFC 3834, section 2).
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribeUrl !== undefined && {
              'List-Unsubscribe': `<${unsubscribeUrl}>`,
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }),
          },
        });
        return { kind: 'sent' };
      } catch (error) {
        return resultOf(error);
      }
    },
    close: () => transport.close(),
  };
}

/** A 5xx about the recipient or the content is final (RFC 5321, section 4.2.1). Everything else is tried again. */
function resultOf(error: unknown): MailResult {
  const { message, responseCode = 0, command } = error as Error & { responseCode?: number; command?: string };
  const isFinal = responseCode >= 500 && responseCode < 600 && (command === 'RCPT TO' || command === 'DATA');
  return { kind: isFinal ? 'refused' : 'failed', error: message.slice(0, MAX_ERROR_CHARS) };
}
