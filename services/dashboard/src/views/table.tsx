import type { ComponentChildren, VNode } from 'preact';

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the right. */
  readonly numeric?: boolean;
  /** Buttons, at the right; what they do stands on them, so that the label is read aloud alone. */
  readonly isAction?: boolean;
}

interface TableProps<Row> {
  /** What the rows are; read aloud, and not shown. */
  readonly caption: string;
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly rows: readonly Row[];
  /** In place of the table, where there are no rows. */
  readonly empty?: VNode | undefined;
  /** Where the first cell leads to: `j`, `k` and Enter go by it. */
  readonly href?: (row: Row) => string | undefined;
  /** Below the link, in the first cell. */
  readonly below?: (row: Row) => ComponentChildren;
  /** On a phone the cells below the first stand in one line, without their labels. */
  readonly isTerse?: boolean;
  /** Draws the eye to a row: something is wrong with it. */
  readonly isMarked?: (row: Row) => boolean;
}

/** Rows of one kind. On a phone each row is a card, with the labels of its columns. */
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

function classOf<Row>({ numeric, isAction }: Column<Row>): string | undefined {
  return numeric ? 'numeric' : isAction ? 'acts' : undefined;
}

function FirstCell({ href, children }: { href: string | undefined; children: ComponentChildren }): VNode {
  if (href === undefined) return <>{children}</>;
  return (
    <a class="row-link" href={href}>
      {children}
    </a>
  );
}
