import { planTitle } from '@artist-watch/domain/account/plans';
import type { ProofRefusal } from '@artist-watch/persistence/sign-in/requests';
import type { Membership } from '@artist-watch/persistence/sign-in/sessions';
import type { VNode } from 'preact';
import type { KeptForm } from '../../application/page.js';
import { ActionButton, Form, Hidden, TextField } from '../../views/form.js';
import { Alert } from '../../views/states.js';

interface SignInProps {
  readonly to: string;
  /** True if a form was submitted without a session, so nothing was changed. */
  readonly isUndone?: boolean;
  readonly kept?: KeptForm;
  readonly email?: string;
  readonly problem?: string;
}

export function signInView({ to, isUndone, kept, email, problem }: SignInProps): VNode {
  return (
    <section class="sign-in">
      <h1>Sign in</h1>
      {isUndone && (
        <Alert tone="warn" title="You were signed out, so nothing was changed">
          <p>Sign in again. {afterwards(kept)}</p>
        </Alert>
      )}
      <p>We'll email you a code and a link. You don't need a password.</p>
      <Form action={actionFor('/sign-in', kept)} button="Email me a code" look="primary">
        <Hidden fields={[['to', to], ...(kept ?? [])]} />
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

/** Adds the query parameter that makes the server accept a larger form. */
function actionFor(path: string, kept: KeptForm | undefined): string {
  return kept?.length ? `${path}?repeat` : path;
}

function afterwards(kept: KeptForm | undefined): string {
  return kept ? "Then we'll finish your last step." : "Then you'll return to the page and can repeat your last step.";
}

interface CodeProps extends Pick<SignInProps, 'to' | 'kept' | 'problem'> {
  readonly email: string;
  /**
   * True if the member is already signed in and only has to enter a fresh code. The email with this code contains no
   * link.
   */
  readonly isFresh: boolean;
}

export function codeView({ email, isFresh, to, kept = [], problem }: CodeProps): VNode {
  return (
    <section class="sign-in">
      <h1>Enter the code</h1>
      {isFresh ? (
        <p>
          We've emailed a code to <strong>{email}</strong>.
        </p>
      ) : (
        <p>
          If <strong>{email}</strong> is a member's address, we've emailed a code. Enter it here, or open the email's
          link in this browser. Both work for 15 minutes.
        </p>
      )}
      <Form action={actionFor('/sign-in/code', kept)} button={isFresh ? 'Confirm' : 'Sign in'} look="primary">
        <Hidden fields={kept} />
        {!isFresh && <input type="hidden" name="zone" />}
        <TextField name="code" label="Code" type="code" required autofocus maxLength={20} error={problem} />
      </Form>
      <p>No email? Check your spam folder, or request another one.</p>
      <Form action={actionFor(isFresh ? '/fresh-code' : '/sign-in', kept)} button="Send another email">
        <Hidden fields={[['to', to], ...(isFresh ? [] : [['email', email] as const]), ...kept]} />
      </Form>
    </section>
  );
}

/** Shows a button, because just opening the link must not sign anyone in. */
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

export function confirmView({ email, to, isUndone, kept, problem }: SignInProps & { email: string }): VNode {
  return (
    <section class="sign-in">
      <h1>Confirm that it's you</h1>
      <p>
        We'll email a code to <strong>{email}</strong>. {isUndone && afterwards(kept)}
      </p>
      {problem && <Alert tone="bad" title={problem} />}
      <Form action={actionFor('/fresh-code', kept)} button="Email me a code" look="primary">
        <Hidden fields={[['to', to], ...(kept ?? [])]} />
      </Form>
    </section>
  );
}

/** The limits on sign-in emails are documented in docs/reference/dashboard.md. */
export const RETRY_ADVICE = 'Try again in 15 minutes. After 20 requests in a day, try again tomorrow.';

const REFUSALS = {
  spent: 'This code no longer works, because a wrong code was entered five times. Request a new one.',
  expired: 'This sign-in email is older than 15 minutes. Request a new one.',
  used: 'This sign-in email was already used. Each one works only once, so request a new one.',
  elsewhere: 'The link belongs to another browser. Enter the code there, or request a new sign-in email here.',
};

export function refusalSentence(refusal: ProofRefusal): string {
  if (refusal.kind !== 'wrong') return REFUSALS[refusal.kind];
  const { triesLeft } = refusal;
  if (triesLeft === 0) return "That isn't the code, and you have no tries left. Request a new code.";
  return `That isn't the code from the last email. ${triesLeft === 1 ? 'One try is' : `${triesLeft} tries are`} left.`;
}
