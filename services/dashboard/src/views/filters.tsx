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
 * The filters are a GET form, so that the page's URL contains them.
 *
 * @param errors each field shows its own error
 */
export function Filters({ action, isSet, errors = {}, button = 'Filter', children }: FiltersProps): VNode {
  return (
    <>
      {Object.keys(errors).length > 0 && (
        <Alert tone="warn" title="An invalid filter was ignored">
          <p>See the message under the field.</p>
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

export interface Pages {
  /** Undefined on the last page. */
  readonly next: string | undefined;
  readonly first: string | undefined;
}

/** Pages have no numbers, because new rows shift them. */
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
