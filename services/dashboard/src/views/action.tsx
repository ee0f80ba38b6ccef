import type { ComponentChildren, VNode } from 'preact';

export interface ActionProps {
  /** Default: the URL of the page. */
  readonly action?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly look?: 'primary' | 'danger';
  readonly children: ComponentChildren;
}

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

interface ConfirmationProps extends Omit<ActionProps, 'children'> {
  readonly label: string;
  /** Tells screen reader users which list item the button is for. */
  readonly unseen?: string;
  readonly question: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A button that opens a confirmation prompt. Works without JavaScript. */
export function Confirmation({ label, unseen, question, children = label, ...action }: ConfirmationProps): VNode {
  return (
    <details class="confirmation">
      <summary class={`button ${action.look ?? ''}`}>
        <span>
          {label}
          {unseen && <span class="unseen">{unseen}</span>}…
        </span>
      </summary>
      <div class="confirmation-body">
        <p>{question}</p>
        <ActionButton {...action}>{children}</ActionButton>
      </div>
    </details>
  );
}
