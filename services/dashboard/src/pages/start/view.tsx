import type { Seat } from '@artist-watch/persistence/sign-in/sessions';
import type { VNode } from 'preact';
import { planTitle } from '../../views/states.js';

interface StartProps {
  readonly email: string;
  readonly seats: readonly Seat[];
}

/** Which of the accounts in which the address has a seat. */
export function startView({ email, seats }: StartProps): VNode {
  return (
    <section class="sign-in">
      <h1>Your accounts</h1>
      {seats.length === 0 ? (
        <p>{email} has no seat in any account any more. Ask an owner of the account for a new invitation.</p>
      ) : (
        <ul class="accounts">
          {seats.map(({ accountId, accountName, plan }) => (
            <li>
              <a href={`/a/${accountId}`}>
                {accountName} <span>{planTitle(plan)} plan</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      <form method="post" action="/sign-out">
        <button type="submit">Sign out</button>
      </form>
    </section>
  );
}
