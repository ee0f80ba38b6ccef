import { sessionStore } from '@artist-watch/persistence/sign-in/sessions';
import { type GuestPage, get, page, post, redirect } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { startView } from './view.js';

/** `/`: leads to the member's account, or lets it choose one. `/sign-out` ends the session of this browser. */
export function startPages({ reads, writes }: PageParts): GuestPage[] {
  return [
    get('/', 'anybody', async ({ session }) => {
      const signedIn = await session();
      if (!signedIn) return redirect('/sign-in');
      const seats = await sessionStore(reads).seats(signedIn.email);
      const [only] = seats;
      if (only && seats.length === 1) return redirect(`/a/${only.accountId}`);
      return page('Accounts', startView({ email: signedIn.email, seats }));
    }),
    post('/sign-out', 'anybody', async ({ session, setCookie }) => {
      const signedIn = await session();
      if (signedIn) await sessionStore(writes).end(signedIn.id, signedIn.email);
      setCookie('session', undefined);
      return redirect('/sign-in');
    }),
  ];
}
