import type { Database } from '@artist-watch/persistence/database/database';
import { sessionStore } from '@artist-watch/persistence/sign-in/sessions';
import type { GuestPage } from '../../application/guest.js';
import { page, redirect } from '../../application/page.js';
import { startView } from './view.js';

/** `/`: leads to the member's account, or lets it choose one. `/sign-out` ends the session of this browser. */
export function startPages({ reads, writes }: { readonly reads: Database; readonly writes: Database }): GuestPage[] {
  return [
    {
      method: 'GET',
      path: '/',
      answer: async ({ session }) => {
        const signedIn = await session();
        if (!signedIn) return redirect('/sign-in');
        const seats = await sessionStore(reads).seats(signedIn.email);
        const [only] = seats;
        if (only && seats.length === 1) return redirect(`/a/${only.accountId}`);
        return page('Accounts', startView({ email: signedIn.email, seats }));
      },
    },
    {
      method: 'POST',
      path: '/sign-out',
      answer: async ({ session, setCookie }) => {
        const signedIn = await session();
        if (signedIn) await sessionStore(writes).end(signedIn.id, signedIn.email);
        setCookie('session', undefined);
        return redirect('/sign-in');
      },
    },
  ];
}
