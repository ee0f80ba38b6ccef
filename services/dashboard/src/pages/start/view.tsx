import type { PlanName } from '@artist-watch/domain/account/plans';
import type { VNode } from 'preact';

interface StartProps {
  readonly email: string;
  readonly seats: ReadonlyArray<{ readonly accountId: string; readonly accountName: string; readonly plan: PlanName }>;
}

/** Which of the accounts in which the address has a seat. */
export function startView({ email, seats }: StartProps): VNode {
  return (
    <>
      <h1>Your accounts</h1>
      {seats.length === 0 ? (
        <p>{email} has no seat in any account any more. Ask an owner of the account for a new invitation.</p>
      ) : (
        <ul class="accounts">
          {seats.map(({ accountId, accountName, plan }) => (
            <li>
              <a href={`/a/${accountId}`}>{accountName}</a> <span>{plan}</span>
            </li>
          ))}
        </ul>
      )}
      <form method="post" action="/sign-out">
        <button type="submit">Sign out</button>
      </form>
    </>
  );
}
