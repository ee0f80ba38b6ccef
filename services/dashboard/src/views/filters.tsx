import type { ComponentChildren, VNode } from 'preact';
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

/** A GET form, so that the page's URL contains the filters. With scripts, each input applies immediately. */
export function Filters({ action, typed, errors = {}, button = 'Filter', search, children }: FiltersProps): VNode {
  const isWrong = Object.keys(errors).length > 0;
  const count = Object.values(typed).filter((text) => text).length;
  const applied = {
    ...{ 'data-hx-get': action, 'data-hx-trigger': 'input delay:300ms', 'data-hx-target': '#content' },
    ...{ 'data-hx-select': '#content', 'data-hx-swap': 'outerMorph' },
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

export interface Pages {
  /** Undefined on the last page. */
  readonly next: string | undefined;
  readonly first: string | undefined;
}

/** Shows no page numbers, because new rows would shift the pages. */
export function Pager({ next, first }: Pages): VNode | null {
  if (next === undefined && first === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {first !== undefined && (
        <a class="button" href={first}>
          First page
        </a>
      )}
      {next !== undefined && (
        <a class="button" href={next} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}
