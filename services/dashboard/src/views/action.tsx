import type { ComponentChildren, VNode } from 'preact';

export interface ActionProps {
  /** A path from `link`. Default: the page's own URL. */
  readonly action?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** `primary` at most once per page; `danger` for actions that can't be undone. */
  readonly look?: 'primary' | 'danger';
  readonly children: ComponentChildren;
}

/** A button that acts without a confirmation, as a form with hidden fields. */
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
  /** Text of the button that opens the question: `Delete`. */
  readonly label: string;
  /** For screen readers in a list: follows the label and names the item. */
  readonly unseen?: string;
  /** Says what will happen, and whether it can be undone. */
  readonly question: ComponentChildren;
  /** Text of the confirming button. Default: the label. */
  readonly children?: ComponentChildren;
}

/** An action with a confirmation, without script: the label opens the question and the confirming button. */
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
