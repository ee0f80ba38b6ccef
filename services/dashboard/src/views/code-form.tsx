import type { VNode } from 'preact';
import { Form, TextField } from './form.js';

interface CodeFormProps {
  readonly action: string;
  readonly button: string;
  readonly problem?: string | undefined;
}

/** Where the code of a mail is typed, at sign-in and as a fresh code. */
export function CodeForm({ action, button, problem }: CodeFormProps): VNode {
  return (
    <Form {...{ action, button }} look="primary">
      <TextField name="code" label="Code" type="code" required maxLength={20} error={problem} />
    </Form>
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
