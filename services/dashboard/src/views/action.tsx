import type { ComponentChildren, VNode } from 'preact';

export interface ActionProps {
  /** From `link`; the page's own address unless given. */
  readonly action?: string;
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

interface ConfirmationProps extends Omit<ActionProps, 'children'> {
  /** On what opens it: `Delete`. */
  readonly label: string;
  /** Which one, for who hears a list: it follows the label. */
  readonly unseen?: string;
  /** What will happen, and whether it can be taken back. */
  readonly question: ComponentChildren;
  /** On the button; the label unless given. */
  readonly children?: ComponentChildren;
}

/** An action that is asked for first, without a script: what opens says what will happen, and holds the button. */
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
      question={`${name} is no longer watched, and its changes so far stay in the list.`}
      action={link(`/artists/${id}/stop`)}
      look="danger"
    >
      Stop watching
    </Confirmation>
  );
}
