import type { Seat } from '@artist-watch/persistence/sign-in/sessions';
import type { VNode } from 'preact';
import { ActionButton } from '../../views/action.js';
import { Form, TextField } from '../../views/form.js';
import { Alert, planTitle } from '../../views/states.js';

interface SignInProps {
  readonly to: string;
  /** A form led here. */
  readonly isUndone?: boolean;
  readonly email?: string;
  readonly problem?: string;
}

export function signInView({ to, isUndone, email, problem }: SignInProps): VNode {
  return (
    <section class="sign-in">
      <h1>Sign in</h1>
      {isUndone && (
        <Alert tone="warn" title="Nothing was done yet">
          <p>You are not signed in any more. Sign in, and you come back to the page to do it again.</p>
        </Alert>
      )}
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

interface CodeProps {
  readonly email: string;
  /** Of a session that there is: its member is known, and its mail has no link. */
  readonly isFresh: boolean;
  readonly to: string;
  readonly problem?: string;
}

/** Where the code of a mail is typed, at sign-in and as a fresh code. */
export function codeView({ email, isFresh, to, problem }: CodeProps): VNode {
  const again = isFresh ? `/fresh-code?to=${encodeURIComponent(to)}` : '/sign-in';
  return (
    <section class="sign-in">
      <h1>Type the code</h1>
      {isFresh ? (
        <p>
          A mail with a code is on its way to <strong>{email}</strong>.
        </p>
      ) : (
        <p>
          If <strong>{email}</strong> has a seat, a mail is on its way. Type its code here, or open its link in this
          browser. Both work for 15 minutes.
        </p>
      )}
      <Form action="/sign-in/code" button={isFresh ? 'Confirm' : 'Sign in'} look="primary">
        {!isFresh && <input type="hidden" name="zone" />}
        <TextField name="code" label="Code" type="code" required maxLength={20} error={problem} />
      </Form>
      <p>
        No mail? Look into the spam folder, or <a href={again}>ask for another one</a>.
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
      <ActionButton action={action} fields={{ zone: '' }} look="primary">
        Sign in
      </ActionButton>
    </section>
  );
}

/** The link of a mail that this browser did not ask for, or that is worth nothing any more. */
export function elsewhereView({ problem }: { problem?: string }): VNode {
  return (
    <section class="sign-in">
      <h1>{problem ? 'Sign in again' : 'The link does not work here'}</h1>
      <p>
        {problem ??
          'It works once, and only in the browser that asked for it, so that a forwarded mail lets nobody else in. Type the code of the mail there.'}
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

interface ConfirmProps {
  readonly email: string;
  readonly to: string;
  /** A form led here. */
  readonly isUndone?: boolean;
  readonly problem?: string;
}

/** Asks whether a fresh code should be mailed. */
export function confirmView({ email, to, isUndone, problem }: ConfirmProps): VNode {
  return (
    <section class="sign-in">
      <h1>Confirm that it is you</h1>
      <p>
        What you are about to do asks for a code of the last 30 minutes. We send one to <strong>{email}</strong>.
      </p>
      {isUndone && (
        <Alert tone="warn" title="Nothing was done yet">
          <p>After the code you come back to the page to do it again.</p>
        </Alert>
      )}
      {problem && <Alert tone="bad" title={problem} />}
      <ActionButton action="/fresh-code" fields={{ to }} look="primary">
        Send me the code
      </ActionButton>
    </section>
  );
}

/** Goes with the limits of docs/reference/dashboard.md. */
export const WHEN_TO_ASK_AGAIN = 'Try again in 15 minutes; after 20 requests in a day, tomorrow.';

/** What a person reads when a code or a link is worth nothing, and what to do about it. */
export function refusalSentence(refusal: {
  readonly kind: 'wrong' | 'spent' | 'expired' | 'used' | 'elsewhere';
  readonly triesLeft?: number;
}): string {
  switch (refusal.kind) {
    case 'wrong':
      return refusal.triesLeft === 0
        ? 'That was not the code, and it was the last try. Ask for a new mail.'
        : `That is not the code of the last mail. ${refusal.triesLeft === 1 ? 'One try is' : `${refusal.triesLeft} tries are`} left.`;
    case 'spent':
      return 'The code was tried five times, which is as often as it can be. Ask for a new mail.';
    case 'expired':
      return 'This mail is older than 15 minutes. Ask for a new one.';
    case 'used':
      return 'This mail was used already; each works once. Ask for a new one.';
    case 'elsewhere':
      return 'The link belongs to another browser. Type the code of the mail where you asked for it, or ask for a new mail here.';
  }
}
