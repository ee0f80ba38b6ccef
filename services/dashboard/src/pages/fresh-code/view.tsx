import type { VNode } from 'preact';
import { CodeForm } from '../../views/code-form.js';

interface AskProps {
  readonly email: string;
  readonly link: (path: string) => string;
  readonly to: string;
  readonly problem?: string;
}

export function askView({ email, link, to, problem }: AskProps): VNode {
  return (
    <section class="sign-in">
      <h1>Confirm that it is you</h1>
      <p>
        Keys, secrets and members are changed only by who reads the mails of <strong>{email}</strong>. We send a code;
        after that nothing is asked for 30 minutes.
      </p>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <form method="post" action={link('/fresh-code/mail')}>
        <input type="hidden" name="to" value={to} />
        <button type="submit" class="primary">
          Send me the code
        </button>
      </form>
    </section>
  );
}

export function freshCodeView({ email, link, problem }: Omit<AskProps, 'to'>): VNode {
  return (
    <section class="sign-in">
      <h1>Type the code</h1>
      <p>
        A mail with a code is on its way to <strong>{email}</strong>.
      </p>
      <CodeForm action={link('/fresh-code/code')} button="Confirm" problem={problem} />
    </section>
  );
}
