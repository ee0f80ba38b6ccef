import type { ComponentChildren, VNode } from 'preact';

export interface ActionProps {
  /** From `link`. */
  readonly action: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** `primary` once a page at the most; `danger` for what cannot be taken back. */
  readonly look?: 'primary' | 'danger';
  readonly children: ComponentChildren;
}

/** A button that does something at once: a form of its own. */
export function ActionButton({ action, fields = {}, look, children }: ActionProps): VNode {
  return (
    <form method="post" action={action} class="inline">
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={look}>
        {children}
      </button>
    </form>
  );
}

/** An action that is asked for first, without a script: what opens says what will happen, and holds the button. */
export function Confirmation({
  label,
  question,
  ...action
}: ActionProps & {
  /** On what opens it: `Delete …`. */
  readonly label: ComponentChildren;
  /** What will happen, and whether it can be taken back. */
  readonly question: ComponentChildren;
}): VNode {
  return (
    <details class="confirmation">
      <summary class={`button ${action.look ?? ''}`}>
        <span>{label}</span>
      </summary>
      <div class="confirmation-body">
        <p>{question}</p>
        <ActionButton {...action} />
      </div>
    </details>
  );
}

interface RevokeProps {
  readonly action: string;
  /** Which one, for who hears the list. */
  readonly what: string;
  readonly question: string;
}

/** Revokes a credential of a list. */
export function Revoke({ action, what, question }: RevokeProps): VNode {
  const label = (
    <>
      Revoke<span class="unseen"> {what}</span> …
    </>
  );
  return (
    <Confirmation {...{ label, question, action }} look="danger">
      Revoke
    </Confirmation>
  );
}
