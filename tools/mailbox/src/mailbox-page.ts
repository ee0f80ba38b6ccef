/** A mail as it arrived. */
export interface CaughtMail {
  /** Counts from 1 in the order of arrival. */
  readonly id: number;
  readonly receivedAt: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  /** Over TLS. */
  readonly isEncrypted: boolean;
  readonly messageId: string;
  readonly inReplyTo: string | null;
  /** By name in lower case, as they came. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
}

/** All mails, newest first; each as text, with its links to click, and as HTML in a frame that runs nothing. */
export function mailboxPage(mails: readonly CaughtMail[]): string {
  const list = mails
    .toReversed()
    .map(
      ({ to, subject, receivedAt, text, html }, index) => `<details${index === 0 ? ' open' : ''}>
<summary><strong>${escaped(subject)}</strong> to ${escaped(to.join(', '))}, ${escaped(receivedAt)}</summary>
<pre>${linked(text)}</pre><iframe sandbox title="As HTML" srcdoc="${escaped(html)}"></iframe></details>`,
    )
    .join('\n');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mailbox</title>
<meta name="viewport" content="width=device-width"><style>
body { font: 16px/1.5 system-ui; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere } iframe { width: 100%; height: 20rem; border: 1px solid #8888 }
</style></head><body><h1>Mailbox</h1><p>Every mail of this stack ends here. As JSON: <a href="/mails">/mails</a></p>
${list || '<p>No mail yet. Reload this page after one was sent.</p>'}</body></html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function linked(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((part, index) => (index % 2 === 1 ? `<a href="${escaped(part)}">${escaped(part)}</a>` : escaped(part)))
    .join('');
}
