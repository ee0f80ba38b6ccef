import type { ComponentChildren, VNode } from 'preact';
import { Icon } from './icon.js';

/**
 * Filters of a list: a form that asks for the page again, so that they stand in its address.
 *
 * @param isSet whether any is; then a link leads back to the whole list.
 */
export function Filters({
  action,
  isSet,
  button = 'Filter',
  children,
}: {
  readonly action: string;
  readonly isSet: boolean;
  readonly button?: string | undefined;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <form class="filters" action={action}>
      {children}
      <button type="submit">
        <Icon name="filter" />
        {button}
      </button>
      {isSet && <a href={action}>Clear</a>}
    </form>
  );
}

/** Further pages of a list, by its cursors. There is no page number: the list moves while it is read. */
export function Pager({
  next,
  first,
}: {
  /** Undefined on the last page. */
  readonly next: string | undefined;
  /** Undefined on the first page. */
  readonly first: string | undefined;
}): VNode | null {
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
