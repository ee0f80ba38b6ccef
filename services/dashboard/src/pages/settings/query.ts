import { NotFound } from '@artist-watch/domain/refusals';
import { groupStore } from '@artist-watch/persistence/account/groups';
import { artistNames } from '@artist-watch/persistence/artist/artist-reads';
import type { Database } from '@artist-watch/persistence/database/database';
import { mailPreferenceStore } from '@artist-watch/persistence/mail/outbox';
import { sessionStore } from '@artist-watch/persistence/sign-in/sessions';
import type { Visit } from '../../application/page.js';
import { deviceName } from '../../application/sign-in.js';

export type SettingsRead = Awaited<ReturnType<typeof readSettings>>;

export async function readSettings(database: Database, { account, member, now }: Visit) {
  const mails = mailPreferenceStore(database);
  const [sessions, preferences, refusals, artists, groups] = await Promise.all([
    sessionStore(database).list(member.email, now),
    mails.read(member.id),
    mails.refusals(account.id),
    artistNames(database, account.id),
    groupStore(database).list(account.id),
  ]);
  // There are no preferences if the member was removed after the session was read.
  if (!preferences) throw new NotFound('member');
  return {
    sessions: sessions.map((session) => ({ ...session, device: deviceName(session.userAgent) })),
    preferences,
    artists,
    groups,
    /** Undefined if the mail server accepted the last email. */
    refusal: refusals.get(member.id),
  };
}
