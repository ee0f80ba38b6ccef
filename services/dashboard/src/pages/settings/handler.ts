import { DIGEST_CADENCES, type MailPreferences } from '@artist-watch/domain/account/mail-preferences';
import type { SessionId } from '@artist-watch/domain/ids';
import type { Database } from '@artist-watch/persistence/database/database';
import { mailPreferenceStore } from '@artist-watch/persistence/mail/preferences';
import { sessionStore } from '@artist-watch/persistence/sign-in/sessions';
import { type Page, page, type Reply, redirect, type Visit } from '../../application/page.js';
import { readSettings } from './query.js';
import { settingsView } from './view.js';

/** `/settings`: where the member is signed in, and what it gets mails of. */
export function settingsPages({ reads, writes }: { readonly reads: Database; readonly writes: Database }): Page[] {
  const show = async (visit: Visit, digestError?: string): Promise<Reply> => {
    const settings = await readSettings(reads, visit);
    const isOwner = visit.member.role === 'owner';
    return page('Settings', settingsView({ ...visit, ...settings, isOwner, digestError }), digestError ? 400 : 200);
  };
  return [
    { method: 'GET', path: '/settings', answer: (visit) => show(visit) },
    {
      method: 'POST',
      path: '/settings/mails',
      answer: async (visit) => {
        const wanted = wantedMails(visit);
        if (!wanted) return show(visit, 'Choose how often you want it.');
        await mailPreferenceStore(writes).write(visit.member.id, wanted);
        return redirect('/settings', 'What you get mails of is saved.');
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

/** Undefined when the form names no digest that there is. */
function wantedMails({ form, member }: Visit): Partial<MailPreferences> | undefined {
  const digest = DIGEST_CADENCES.find((each) => each === form.get('digest'));
  const lists = form.getAll('mails');
  if (!digest) return undefined;
  const critical = lists.includes('critical');
  // Only owners are asked about destinations; what a member once chose as an owner stays.
  return member.role === 'owner'
    ? { critical, destinations: lists.includes('destinations'), digest }
    : { critical, digest };
}
