import type { ComponentChildren, VNode } from 'preact';
import { Icon } from './icon.js';
import { Alert } from './states.js';

interface FiltersProps {
  readonly action: string;
  readonly isSet: boolean;
  readonly errors?: Readonly<Record<string, string>>;
  readonly button?: string | undefined;
  readonly children: ComponentChildren;
}

/**
 * Filters of a list: a form that asks for the page again, so that they stand in its address.
 *
 * @param isSet whether any is; then a link leads back to the whole list.
 * @param errors of what could not be read; each stands at its field too.
 */
export function Filters({ action, isSet, errors = {}, button = 'Filter', children }: FiltersProps): VNode {
  return (
    <>
      {Object.keys(errors).length > 0 && (
        <Alert tone="warn" title="A filter cannot be read, and is left out">
          <p>What is wrong stands below it.</p>
        </Alert>
      )}
      <form class="filters" action={action}>
        {children}
        <div class="row submit">
          <button type="submit">
            <Icon name="filter" />
            {button}
          </button>
          {isSet && <a href={action}>Clear</a>}
        </div>
      </form>
    </>
  );
}

/** The addresses of a list's pages, as a view gets them. */
export interface Pages {
  /** Undefined on the last page. */
  readonly next: string | undefined;
  /** Undefined on the first page. */
  readonly first: string | undefined;
}

/** Further pages of a list, by its cursors. There is no page number: the list moves while it is read. */
export function Pager({ next, first }: Pages): VNode | null {
  if (next === undefined && first === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {first !== undefined && (
        <a class="button" href={first}>
          Back to the first page
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
