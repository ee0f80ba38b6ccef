import type { SessionId } from '@artist-watch/domain/ids';
import type { Database } from '@artist-watch/persistence/database/database';
import { sessionStore } from '@artist-watch/persistence/sign-in/sessions';
import { type Page, page, redirect } from '../../application/page.js';
import { readSettings } from './query.js';
import { settingsView } from './view.js';

/** `/settings`: where the member is signed in. */
export function settingsPages({ reads, writes }: { readonly reads: Database; readonly writes: Database }): Page[] {
  return [
    {
      method: 'GET',
      path: '/settings',
      answer: async (visit) => {
        const sessions = await readSettings(reads, visit);
        return page('Settings', settingsView({ ...visit, sessions }));
      },
    },
    {
      method: 'POST',
      path: '/settings/sessions/end',
      answer: async (visit) => {
        const id = (visit.form.get('session') ?? '') as SessionId;
        const ended = await sessionStore(writes).end(id, visit.member.email);
        return redirect('/settings', ended ? 'That browser is signed out.' : 'That session had ended already.');
      },
    },
  ];
}
