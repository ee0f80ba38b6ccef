import { NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '@artist-watch/persistence/database/database';
import { mailPreferenceStore } from '@artist-watch/persistence/mail/preferences';
import { sessionStore } from '@artist-watch/persistence/sign-in/sessions';
import type { Visit } from '../../application/page.js';
import { deviceName } from '../../application/sign-in.js';

export type SettingsRead = Awaited<ReturnType<typeof readSettings>>;

/** What the page shows, in three statements. */
export async function readSettings(database: Database, { account, member, now }: Visit) {
  const mails = mailPreferenceStore(database);
  const [sessions, preferences, refusals] = await Promise.all([
    sessionStore(database).list(member.email, now),
    mails.read(member.id),
    mails.refusals(account.id),
  ]);
  // The seat was taken away since the session was found.
  if (!preferences) throw new NotFound('member');
  return {
    /** Each with its browser, such as `Firefox on Windows`. */
    sessions: sessions.map((session) => ({ ...session, device: deviceName(session.userAgent) })),
    preferences,
    /** What the mail server said to the last mail, where it has not taken it. */
    refusal: refusals.get(member.id),
  };
}
