import type { SessionId } from '@artist-watch/domain/ids';
import type { VNode } from 'preact';
import { type MailsProps, mailsView } from './mails-view.js';

interface SettingsProps extends MailsProps {
  readonly member: { readonly email: string };
  readonly sessionId: SessionId;
  readonly link: (path: string) => string;
  readonly sessions: ReadonlyArray<{
    readonly id: SessionId;
    readonly lastSeenAt: Date;
    readonly clientAddress: string;
    readonly userAgent: string;
  }>;
}

export function settingsView({ member, sessionId, link, sessions, ...mails }: SettingsProps): VNode {
  return (
    <>
      <h1>Settings</h1>
      <section>
        <h2>Where you are signed in</h2>
        <p>{member.email}</p>
        <ul class="sessions">
          {sessions.map(({ id, lastSeenAt, clientAddress, userAgent }) => (
            <li>
              <span>{userAgent}</span> <span>{clientAddress}</span>{' '}
              <time dateTime={lastSeenAt.toISOString()}>{lastSeenAt.toISOString()}</time>
              {id === sessionId ? (
                <strong>this browser</strong>
              ) : (
                <form method="post" action={link('/settings/sessions/end')}>
                  <input type="hidden" name="session" value={id} />
                  <button type="submit">Sign out</button>
                </form>
              )}
            </li>
          ))}
        </ul>
      </section>
      {mailsView({ ...mails, link })}
    </>
  );
}
