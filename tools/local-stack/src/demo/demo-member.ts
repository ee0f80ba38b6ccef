import { StartError } from '@artist-watch/runtime/settings/start-failure';
import type { ReadyState } from '../stack/ready-file.js';
import { waitFor } from './narrator.js';

export interface DemoMember {
  readonly email: string;
  /** Members only get notifications once they have signed in. */
  signIn(): Promise<void>;
  waitForEmail(changeId: string): Promise<string>;
}

interface Mail {
  readonly subject: string;
  readonly text: string;
}

/** Returns undefined if there is no dashboard, or if emails go to another server. */
export function demoMember(
  { dashboardUrl, mailboxUrl, memberEmail }: Pick<ReadyState, 'dashboardUrl' | 'mailboxUrl' | 'memberEmail'>,
  signal: AbortSignal,
): DemoMember | undefined {
  if (dashboardUrl === null || mailboxUrl === null) return undefined;

  async function post(path: string, form: Record<string, string>, cookie: string): Promise<string> {
    const response = await fetch(`${dashboardUrl}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'Sec-Fetch-Site': 'same-origin', ...(cookie && { Cookie: cookie }) },
      body: new URLSearchParams(form),
      signal,
    });
    if (response.status !== 303) throw new StartError(`The dashboard returned ${response.status} for ${path}.`);
    return (response.headers.getSetCookie()[0] ?? '').replace(/;.*/, '');
  }
  const mails = async () => {
    const response = await fetch(`${mailboxUrl}/mails?to=${encodeURIComponent(memberEmail)}`, { signal });
    return (await response.json()) as Mail[];
  };

  return {
    email: memberEmail,
    async signIn() {
      const cookie = await post('/sign-in', { email: memberEmail, to: '' }, '');
      const code = await waitFor(
        'the email with the code',
        async () => /^ {4}(\d{4} \d{4})$/m.exec((await mails()).at(-1)?.text ?? '')?.[1],
        signal,
      );
      // The dashboard takes a new member's time zone from the first sign-in.
      const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
      await post('/sign-in/code', { code, zone }, cookie);
    },
    waitForEmail: (changeId) =>
      waitFor(
        'the email about the change',
        async () => (await mails()).find(({ text }) => text.includes(changeId))?.subject,
        signal,
      ),
  };
}
