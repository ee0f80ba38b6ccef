import type { Database } from '@artist-watch/persistence/database/database';
import { type SessionRecord, sessionStore } from '@artist-watch/persistence/sign-in/sessions';
import type { Visit } from '../../application/page.js';

/** What the page shows, in one statement. */
export async function readSettings(database: Database, visit: Visit): Promise<readonly SessionRecord[]> {
  return sessionStore(database).list(visit.member.email, visit.now);
}
