import type { Seat } from '@artist-watch/persistence/sign-in/sessions';
import type { VNode } from 'preact';
import { ActionButton } from '../../views/action.js';
import { CodeForm } from '../../views/code-form.js';
import { Form, TextField } from '../../views/form.js';
import { planTitle } from '../../views/states.js';

export function signInView({ to, email, problem }: { to: string; email?: string; problem?: string }): VNode {
  return (
    <section class="sign-in">
      <h1>Sign in</h1>
      <p>We send you a mail with a code and a link. There is no password.</p>
      <Form action="/sign-in" button="Send me the mail" look="primary">
        <input type="hidden" name="to" value={to} />
        <TextField
          name="email"
          label="Your mail address"
          type="email"
          required
          autocomplete="email"
          value={email}
          error={problem}
        />
      </Form>
    </section>
  );
}

export function codeView({ email, problem }: { email: string; problem?: string }): VNode {
  return (
    <section class="sign-in">
      <h1>Type the code</h1>
      <p>
        If <strong>{email}</strong> has a seat, a mail is on its way. Type its code here, or open its link in this
        browser. Both work for 15 minutes.
      </p>
      <CodeForm action="/sign-in/code" button="Sign in" problem={problem} />
      <p>
        No mail? Look into the spam folder, or <a href="/sign-in">ask for another one</a>.
      </p>
    </section>
  );
}

/** The link of a mail: a button, because GET changes nothing. */
export function linkView({ email, action }: { email: string; action: string }): VNode {
  return (
    <section class="sign-in">
      <h1>Sign in</h1>
      <p>
        As <strong>{email}</strong>, in this browser.
      </p>
      <ActionButton action={action} look="primary">
        Sign in
      </ActionButton>
    </section>
  );
}

/** The link of a mail that another browser asked for, or that is worth nothing any more. */
export function elsewhereView({ problem }: { problem?: string }): VNode {
  return (
    <section class="sign-in">
      <h1>{problem ? 'Sign in again' : 'This is another browser'}</h1>
      <p>
        {problem ??
          'The link works only in the browser that asked for it, so that a forwarded mail lets nobody else in. Type the code of the mail there.'}
      </p>
      <p>
        <a href="/sign-in">Ask for a mail in this browser</a>
      </p>
    </section>
  );
}

interface AccountsProps {
  readonly email: string;
  readonly seats: readonly Seat[];
}

/** Which of the accounts in which the address has a seat. */
export function accountsView({ email, seats }: AccountsProps): VNode {
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
      <ActionButton action="/sign-out">Sign out</ActionButton>
    </section>
  );
}
