import type { VNode } from 'preact';

interface CodeFormProps {
  readonly action: string;
  readonly button: string;
  readonly problem?: string | undefined;
}

/** Where the code of a mail is typed, at sign-in and as a fresh code. */
export function CodeForm({ action, button, problem }: CodeFormProps): VNode {
  return (
    <form method="post" action={action}>
      <label for="code">Code</label>
      <input
        id="code"
        class="code"
        name="code"
        required
        inputmode="numeric"
        autocomplete="one-time-code"
        maxlength={20}
        aria-invalid={problem ? 'true' : undefined}
        aria-describedby={problem ? 'problem' : undefined}
      />
      <Problem text={problem} />
      <button type="submit" class="primary">
        {button}
      </button>
    </form>
  );
}

export function Problem({ text }: { text: string | undefined }): VNode | null {
  if (!text) return null;
  return (
    <p id="problem" class="problem" role="alert">
      {text}
    </p>
  );
}
