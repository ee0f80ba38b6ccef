import type { GroupRecord } from '@artist-watch/persistence/account/groups';
import type { ComponentChildren, VNode } from 'preact';
import { LinkButton, optionsById, Select } from './form.js';
import { Icon } from './icon.js';
import { Alert } from './states.js';

interface FiltersProps {
  readonly action: string;
  readonly typed: Readonly<Record<string, string | undefined>>;
  readonly errors?: Readonly<Record<string, string>>;
  readonly button?: string | undefined;
  readonly search?: VNode;
  /** Collapsed on phones. */
  readonly children: ComponentChildren;
}

/** A GET form, so the filters are part of the page's URL. With scripts enabled, each change applies immediately. */
export function Filters({ action, typed, errors = {}, button = 'Filter', search, children }: FiltersProps): VNode {
  const isWrong = Object.keys(errors).length > 0;
  const count = Object.values(typed).filter((text) => text).length;
  const applied = {
    'data-hx-get': action,
    'data-hx-trigger': 'input delay:300ms',
    'data-hx-target': '#content',
    'data-hx-select': '#content',
    'data-hx-swap': 'outerMorph',
  };
  return (
    <>
      {isWrong && (
        <Alert tone="warn" title="An invalid filter was ignored">
          <p>See the message under the field.</p>
        </Alert>
      )}
      <form class="filters" aria-label="Filters" action={action} {...applied}>
        {search}
        <details class="chips" open={isWrong}>
          <summary class="button">
            <Icon name="filter" />
            Filters{count > 0 && ` (${count})`}
          </summary>
          <div class="row">
            {children}
            <button type="submit">{button}</button>
            {count > 0 && <a href={action}>Clear</a>}
          </div>
        </details>
      </form>
    </>
  );
}

type GroupSelectProps = Parameters<typeof Select>[0] & { groups: readonly GroupRecord[]; any?: string };

/** Renders nothing if the account has no groups. */
export function GroupSelect({ groups, any = 'Any', ...field }: Omit<GroupSelectProps, 'options'>): VNode | null {
  return groups.length === 0 ? null : <Select {...field} options={{ '': any, ...optionsById(groups) }} />;
}

export interface Pages {
  /** Undefined on the last page. */
  readonly next: string | undefined;
  readonly first: string | undefined;
}

export function Pager({ next, first, label }: Pages & { readonly label?: string }): VNode | null {
  if (next === undefined && first === undefined && label === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {label !== undefined && <span class="soft">{label}</span>}
      {first !== undefined && <LinkButton href={first} label="First page" />}
      {next !== undefined && <LinkButton href={next} rel="next" label="Next page" />}
    </nav>
  );
}
