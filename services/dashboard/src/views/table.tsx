import type { ComponentChildren, VNode } from 'preact';

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Right-aligned. */
  readonly numeric?: boolean;
  readonly isAction?: boolean;
  /** Narrow screens hide columns with priority 3 first, then those with priority 2. Phones show all columns. */
  readonly priority?: 2 | 3;
}

interface TableProps<Row> {
  /** Read only by screen readers. */
  readonly caption: string;
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly rows: readonly Row[];
  /** Shown instead of an empty table. */
  readonly empty?: VNode | undefined;
  /** The keys `j` and `k` move between these links. */
  readonly href?: (row: Row) => string | undefined;
  /** Shown below the link in the first cell. */
  readonly below?: (row: Row) => ComponentChildren;
  /** On phones, all cells after the first share one line, without labels. */
  readonly isTerse?: boolean;
  readonly isMarked?: (row: Row) => boolean;
}

export function Table<Row>(props: TableProps<Row>): VNode {
  const { caption, columns, rows, empty, href, below, isTerse, isMarked } = props;
  if (empty && rows.length === 0) return empty;
  return (
    <div class="table-frame">
      <table class={isTerse ? 'terse' : undefined}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={classOf(column)}>
                {column.isAction ? <span class="unseen">{column.label}</span> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr class={isMarked?.(row) ? 'marked' : undefined}>
              {columns.map((column, index) => (
                <td data-label={column.label} class={classOf(column)}>
                  {index === 0 ? <FirstCell href={href?.(row)}>{column.cell(row)}</FirstCell> : column.cell(row)}
                  {index === 0 && below?.(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf<Row>({ numeric, isAction, priority }: Column<Row>): string | undefined {
  return [numeric && 'numeric', isAction && 'acts', priority && `p${priority}`].filter(Boolean).join(' ') || undefined;
}

function FirstCell({ href, children }: { href: string | undefined; children: ComponentChildren }): VNode {
  if (href === undefined) return <>{children}</>;
  return (
    <a class="row-link" href={href}>
      {children}
    </a>
  );
}
