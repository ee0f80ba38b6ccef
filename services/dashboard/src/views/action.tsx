import type { ComponentChildren, VNode } from 'preact';

export interface ActionProps {
  /** The path to post to, from `link`. Default: the page's own URL. */
  readonly action?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** Use `primary` at most once per page, and `danger` for actions that cannot be undone. */
  readonly look?: 'primary' | 'danger';
  readonly children: ComponentChildren;
}

/** A form with hidden fields and one button, which acts without a confirmation. */
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
  /** The text of the button that opens the question, such as `Delete`. */
  readonly label: string;
  /** Text after the label, only for screen readers. It names the item in a list. */
  readonly unseen?: string;
  /** Says what will happen, and whether it can be undone. */
  readonly question: ComponentChildren;
  /** The text of the confirming button. Default: the label. */
  readonly children?: ComponentChildren;
}

/**
 * An action that must be confirmed. It works without scripts: the label opens the question and the confirming button.
 */
export function Confirmation({ label, unseen, question, children = label, ...action }: ConfirmationProps): VNode {
  return (
    <details class="confirmation">
      <summary class={`button ${action.look ?? ''}`}>
        <span>
          {label}
          {unseen && <span class="unseen">{unseen}</span>} …
        </span>
      </summary>
      <div class="confirmation-body">
        <p>{question}</p>
        <ActionButton {...action}>{children}</ActionButton>
      </div>
    </details>
  );
}

interface StopWatchingProps extends Pick<ConfirmationProps, 'label' | 'unseen'> {
  readonly artist: { readonly id: string; readonly name: string };
  readonly link: (path: string) => string;
}

export function StopWatching({ artist: { id, name }, link, ...label }: StopWatchingProps): VNode {
  return (
    <Confirmation
      {...label}
      question={`You stop watching ${name}. Past changes stay in your list.`}
      action={link(`/artists/${id}/stop`)}
      look="danger"
    >
      Stop watching
    </Confirmation>
  );
}
