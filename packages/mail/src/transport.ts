import { createTransport } from 'nodemailer';

export interface OutgoingMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** All attempts use the same id, so that email clients can recognize duplicates. */
  readonly messageId: string;
  readonly inReplyTo: string | undefined;
  readonly unsubscribeUrl: string | undefined;
}

/** `refused`: the mail server will never accept this email. `unknown`: the mail server may have accepted it. */
export type MailResult =
  | { readonly kind: 'sent' }
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'failed' | 'unknown'; readonly error: string };

const MAX_CONNECTIONS = 3;
const MINUTE_MS = 60_000;
/** RFC 5321, section 4.5.3.2.1. The timeout also limits the TLS handshake. */
const GREETING_TIMEOUT_MS = 5 * MINUTE_MS;
/** Covers DNS, TCP, the greeting and STARTTLS. Linux gives up on a TCP connection after about two minutes. */
const CONNECT_TIMEOUT_MS = 2 * MINUTE_MS + GREETING_TIMEOUT_MS;
/**
 * A mail server may take this long after the final dot (RFC 5321, section 4.5.3.2.6). With a shorter timeout, we could
 * send an email again that was already accepted.
 */
const SILENCE_TIMEOUT_MS = 10 * MINUTE_MS;
/** If the connection closes, resend the email on a new connection only once (Nodemailer's default is 5 times). */
const MAX_REQUEUES = 1;
const MAX_ERROR_CHARS = 300;

export type MailTransport = ReturnType<typeof smtpTransport>;

export function smtpTransport(url: string, from: string) {
  const sender = senderOf(from);
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    maxRequeues: MAX_REQUEUES,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const onWrittenByMessageId = new Map<string, () => void>();
  transport.use('stream', ({ message }, done) => {
    message.processFunc((content) => content.once('end', () => onWrittenByMessageId.get(message.messageId())?.()));
    done();
  });
  return {
    /**
     * @param onWritten called when the whole email has been written. From then on, the mail server may have accepted
     *   it.
     */
    async send(
      { unsubscribeUrl, inReplyTo, ...mail }: OutgoingMail,
      onWritten: () => void = () => undefined,
    ): Promise<MailResult> {
      let isWritten = false;
      onWrittenByMessageId.set(mail.messageId, () => {
        isWritten = true;
        onWritten();
      });
      try {
        await transport.sendMail({
          from: sender,
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
        return resultOf(error, isWritten);
      } finally {
        onWrittenByMessageId.delete(mail.messageId);
      }
    },
    close: () => transport.close(),
  };
}

/** Nodemailer would interpret a colon, a semicolon or brackets in the name as syntax. */
function senderOf(from: string) {
  const [, name, address] = /^(.+)<(.+)>$/.exec(from) ?? [];
  if (name === undefined || address === undefined) return from;
  // The name may be in quotes (RFC 5322, section 3.2.4).
  const quoted = /^"(.*)"$/.exec(name.trim())?.[1];
  return { name: quoted?.replace(/\\(.)/g, '$1') ?? name.trim(), address };
}

/** Only a 5xx response about the recipient or the content is final (RFC 5321, section 4.2.1). */
function resultOf(error: unknown, isWritten: boolean): MailResult {
  const { message, responseCode, command } = error as Error & { responseCode?: number; command?: string };
  return { kind: kindOf(), error: message.slice(0, MAX_ERROR_CHARS) };

  function kindOf() {
    if (responseCode === undefined) return isWritten ? 'unknown' : 'failed';
    const isFinal = responseCode >= 500 && responseCode < 600 && (command === 'RCPT TO' || command === 'DATA');
    return isFinal ? 'refused' : 'failed';
  }
}
