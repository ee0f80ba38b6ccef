import { planTitle } from '@artist-watch/domain/account/plans';
import type { Membership } from '@artist-watch/persistence/sign-in/sessions';
import type { VNode } from 'preact';
import { ActionButton } from '../../views/action.js';
import { Form, TextField } from '../../views/form.js';
import { Alert } from '../../views/states.js';

interface SignInProps {
  readonly to: string;
  /** True if a form was submitted without a session, so nothing was changed. */
  readonly isUndone?: boolean;
  readonly email?: string;
  readonly problem?: string;
}

export function signInView({ to, isUndone, email, problem }: SignInProps): VNode {
  return (
    <section class="sign-in">
      <h1>Sign in</h1>
      {isUndone && (
        <Alert tone="warn" title="You were signed out, so nothing was changed">
          <p>Sign in again. You then return to the page and can repeat your last step.</p>
        </Alert>
      )}
      <p>We email you a code and a link. There's no password.</p>
      <Form action="/sign-in" button="Email me a code" look="primary">
        <input type="hidden" name="to" value={to} />
        <TextField
          name="email"
          label="Your email address"
          type="email"
          required
          autofocus
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
  /** True if a signed-in member must enter a new code. The email with this code has no link. */
  readonly isFresh: boolean;
  readonly to: string;
  readonly problem?: string;
}

export function codeView({ email, isFresh, to, problem }: CodeProps): VNode {
  return (
    <section class="sign-in">
      <h1>Enter the code</h1>
      {isFresh ? (
        <p>
          We're emailing a code to <strong>{email}</strong>.
        </p>
      ) : (
        <p>
          If <strong>{email}</strong> belongs to a member, we're emailing a code. Enter it here, or open the email's
          link in this browser. Both work for 15 minutes.
        </p>
      )}
      <Form action="/sign-in/code" button={isFresh ? 'Confirm' : 'Sign in'} look="primary">
        {!isFresh && <input type="hidden" name="zone" />}
        <TextField name="code" label="Code" type="code" required autofocus maxLength={20} error={problem} />
      </Form>
      <p>No email? Check your spam folder, or request another one.</p>
      <ActionButton
        {...(isFresh ? { action: '/fresh-code', fields: { to } } : { action: '/sign-in', fields: { to, email } })}
      >
        Send another email
      </ActionButton>
    </section>
  );
}

/** Shows a button, because opening a link must not sign anyone in. */
export function linkView({ email, action }: { email: string; action: string }): VNode {
  return (
    <section class="sign-in">
      <h1>Sign in</h1>
      <p>
        Sign in as <strong>{email}</strong> in this browser.
      </p>
      <ActionButton action={action} fields={{ zone: '' }} look="primary">
        Sign in
      </ActionButton>
    </section>
  );
}

export function elsewhereView({ problem }: { problem?: string }): VNode {
  return (
    <section class="sign-in">
      <h1>{problem ? 'Sign in again' : "This link doesn't work here"}</h1>
      <p>
        {problem ??
          'The link works only once and only in the browser that requested it, so that no one else can use a forwarded email. Enter the code in that browser.'}
      </p>
      <p>
        <a href="/sign-in">Request a sign-in email in this browser</a>
      </p>
    </section>
  );
}

export function accountsView({ email, memberships }: { email: string; memberships: readonly Membership[] }): VNode {
  return (
    <section class="sign-in">
      <h1>Your accounts</h1>
      {memberships.length === 0 ? (
        <p>{email} is no longer a member of any account. An owner can invite you again.</p>
      ) : (
        <ul class="accounts">
          {memberships.map(({ accountId, accountName, plan }) => (
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
  readonly isUndone?: boolean;
  readonly problem?: string;
}

export function confirmView({ email, to, isUndone, problem }: ConfirmProps): VNode {
  return (
    <section class="sign-in">
      <h1>Confirm that it's you</h1>
      <p>
        For this step, you need a code. We'll email one to <strong>{email}</strong>.
      </p>
      {isUndone && (
        <Alert tone="warn" title="Nothing was changed yet">
          <p>After you enter the code, you return to the page and can repeat your last step.</p>
        </Alert>
      )}
      {problem && <Alert tone="bad" title={problem} />}
      <ActionButton action="/fresh-code" fields={{ to }} look="primary">
        Email me a code
      </ActionButton>
    </section>
  );
}

/** The limits on sign-in emails are documented in docs/reference/dashboard.md. */
export const RETRY_ADVICE = 'Try again in 15 minutes. After 20 requests in a day, try again tomorrow.';

export function refusalSentence(refusal: {
  readonly kind: 'wrong' | 'spent' | 'expired' | 'used' | 'elsewhere';
  readonly triesLeft?: number;
}): string {
  switch (refusal.kind) {
    case 'wrong':
      return refusal.triesLeft === 0
        ? "That isn't the code, and you have no tries left. Request a new code."
        : `That isn't the code from the last email. ${refusal.triesLeft === 1 ? 'One try is' : `${refusal.triesLeft} tries are`} left.`;
    case 'spent':
      return 'This code no longer works, because a wrong code was entered five times. Request a new one.';
    case 'expired':
      return 'This sign-in email is older than 15 minutes. Request a new one.';
    case 'used':
      return 'This sign-in email was already used. Each one works only once, so request a new one.';
    case 'elsewhere':
      return 'The link belongs to another browser. Enter the code there, or request a new sign-in email here.';
  }
}
