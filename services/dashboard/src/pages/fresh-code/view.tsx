import type { VNode } from 'preact';
import { ActionButton } from '../../views/action.js';
import { CodeForm } from '../../views/code-form.js';
import { Alert } from '../../views/states.js';

interface AskProps {
  readonly email: string;
  readonly link: (path: string) => string;
  readonly to: string;
  readonly problem?: string | undefined;
}

export function askView({ email, link, to, problem }: AskProps): VNode {
  return (
    <section class="sign-in">
      <h1>Confirm that it is you</h1>
      <p>
        What you are about to do asks for a code of the last 30 minutes. We send one to <strong>{email}</strong>.
      </p>
      {problem && <Alert tone="bad" title={problem} />}
      <ActionButton action={link('/fresh-code/mail')} fields={{ to }} look="primary">
        Send me the code
      </ActionButton>
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
