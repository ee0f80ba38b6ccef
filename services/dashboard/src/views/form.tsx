import type { ComponentChildren, VNode } from 'preact';
import { Icon, type IconName } from './icon.js';

interface FieldProps {
  /** The element's id is derived from this name. */
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
}

function described({ name, hint, error }: Omit<FieldProps, 'label'>) {
  const ids = [error !== undefined && `${name}-error`, hint !== undefined && `${name}-hint`].filter(Boolean);
  return {
    id: `${name}-field`,
    name,
    'aria-describedby': ids.length > 0 ? ids.join(' ') : undefined,
    'aria-invalid': error === undefined ? undefined : true,
  };
}

function Labelled({ label, children, ...field }: FieldProps & { children: ComponentChildren }): VNode {
  return (
    <div class="field">
      <label for={`${field.name}-field`}>{label}</label>
      {children}
      <Texts {...field} />
    </div>
  );
}

function Texts({ name, hint, error }: Omit<FieldProps, 'label'>): VNode {
  return (
    <>
      {error !== undefined && (
        <p class="field-error" id={`${name}-error`}>
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </>
  );
}

type Texted<Name extends string> = Readonly<Partial<Record<Name, string>>>;

export function fieldsOf<Name extends string>(typed: Texted<Name>, errors: Texted<Name>) {
  return (name: Name, label: string) => ({ name, label, value: typed[name] ?? '', error: errors[name] });
}

interface TextFieldProps extends FieldProps {
  readonly value?: string | undefined;
  /** With `code`, phones suggest the code from the email and show a numeric keyboard. */
  readonly type?: 'text' | 'email' | 'date' | 'search' | 'code';
  readonly required?: boolean;
  readonly autofocus?: boolean;
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly maxLength?: number;
}

export function TextField(props: TextFieldProps): VNode {
  const { value, type = 'text', required, autofocus, placeholder, autocomplete, maxLength, ...field } = props;
  const kind =
    type === 'code'
      ? ({ inputmode: 'numeric', autocomplete: 'one-time-code' } as const)
      : { type: type as 'text', autocomplete };
  const own = { ...kind, value, required, autofocus, placeholder, maxlength: maxLength };
  return (
    <Labelled {...field}>
      <input {...described(field)} {...own} spellcheck={false} />
    </Labelled>
  );
}

interface TextAreaProps extends FieldProps, Pick<TextFieldProps, 'value' | 'required' | 'placeholder'> {
  readonly rows?: number;
}

export function TextArea({ value, rows = 6, required, placeholder, ...field }: TextAreaProps): VNode {
  return (
    <Labelled {...field}>
      <textarea {...described(field)} {...{ rows, required, placeholder }} spellcheck={false}>
        {value}
      </textarea>
    </Labelled>
  );
}

export type Options = Readonly<Record<string, string>>;

export function optionsById(items: ReadonlyArray<Record<'id' | 'name', string>>): Options {
  return Object.fromEntries(items.map(({ id, name }) => [id, name]));
}

export function optionsOf(values: readonly string[], labelOf: (value: string) => string): Options {
  return Object.fromEntries(values.map((value) => [value, labelOf(value)]));
}

interface ChoiceProps extends FieldProps {
  readonly options: Options;
}

export function Select({ value: chosen, options, ...field }: ChoiceProps & { readonly value?: string }): VNode {
  return (
    <Labelled {...field}>
      <select {...described(field)}>
        {Object.entries(options).map(([value, label]) => (
          <option value={value === label ? undefined : value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** All checked values are sent under the same name. */
export function Checkboxes({ label, values, options, ...field }: ChoiceProps & { values: readonly string[] }): VNode {
  const { id: _id, name, ...texts } = described(field);
  const ticked = new Set(values);
  return (
    <fieldset class="field" {...texts}>
      <legend>{label}</legend>
      <div class="checkboxes">
        {Object.entries(options).map(([value, text]) => (
          <label>
            <input type="checkbox" name={name} value={value} checked={ticked.has(value)} />
            {text}
          </label>
        ))}
      </div>
      <Texts {...field} />
    </fieldset>
  );
}

interface FormProps {
  readonly action: string;
  readonly button: string;
  readonly icon?: IconName;
  readonly look?: 'primary' | 'danger';
  /** Makes the form idempotent, so submitting it twice creates nothing new. */
  readonly draft?: string;
  readonly children: ComponentChildren;
}

export function Form({ action, button, icon, look, draft, children }: FormProps): VNode {
  return (
    <form class="form" method="post" action={action}>
      {draft !== undefined && <input type="hidden" name="draft" value={draft} />}
      {children}
      <p>
        <button type="submit" class={look}>
          {icon && <Icon name={icon} />}
          {button}
        </button>
      </p>
    </form>
  );
}

/** A form can contain several fields with the same name. */
export function Hidden({ fields }: { fields: ReadonlyArray<readonly [name: string, value: string]> }): VNode {
  return (
    <>
      {fields.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

interface ActionProps {
  /** Default: the URL of the page. */
  readonly action?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly look?: 'primary' | 'danger';
  readonly children: ComponentChildren;
}

export function ActionButton({ action, fields = {}, look, children }: ActionProps): VNode {
  return (
    <form method="post" action={action} class="inline">
      <Hidden fields={Object.entries(fields)} />
      <button type="submit" class={look}>
        {children}
      </button>
    </form>
  );
}

interface LinkButtonProps {
  readonly href: string;
  readonly label: string;
  readonly icon?: IconName;
  readonly look?: 'primary';
  readonly rel?: string;
  readonly download?: boolean;
}

export function LinkButton({ href, label, icon, look, ...attributes }: LinkButtonProps): VNode {
  return (
    <a class={look ? `button ${look}` : 'button'} href={href} {...attributes}>
      {icon && <Icon name={icon} />}
      {label}
    </a>
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
