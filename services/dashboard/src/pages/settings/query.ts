import type { MailPreferences } from '@artist-watch/domain/account/mail-preferences';
import { NotFound } from '@artist-watch/domain/refusals';
import type { Database } from '@artist-watch/persistence/database/database';
import { mailPreferenceStore, type RefusedMail } from '@artist-watch/persistence/mail/preferences';
import { type SessionRecord, sessionStore } from '@artist-watch/persistence/sign-in/sessions';
import type { Visit } from '../../application/page.js';
import { deviceName } from '../../application/sign-in/device.js';

export interface SettingsRead {
  readonly sessions: ReadonlyArray<SessionRecord & { readonly device: string }>;
  readonly preferences: MailPreferences;
  readonly refusal: RefusedMail | undefined;
}

/** What the page shows, in three statements. */
export async function readSettings(database: Database, { account, member, now }: Visit): Promise<SettingsRead> {
  const mails = mailPreferenceStore(database);
  const [sessions, preferences, refusals] = await Promise.all([
    sessionStore(database).list(member.email, now),
    mails.read(member.id),
    mails.refusals(account.id),
  ]);
  // The seat was taken away since the session was found.
  if (!preferences) throw new NotFound('member');
  return {
    sessions: sessions.map((session) => ({ ...session, device: deviceName(session.userAgent) })),
    preferences,
    refusal: refusals.get(member.id),
  };
}
