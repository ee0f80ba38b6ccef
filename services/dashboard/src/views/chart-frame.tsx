import type { ComponentChildren, VNode } from 'preact';

/**
 * A chart with what it says in a sentence, and the same figures as a table for those who cannot see it.
 *
 * Children is the `<svg>`, drawn at a viewBox of 720 by what height it takes, without a style attribute: classes `bad`,
 * `warn`, `quiet`, `good`, `line`, `grid` and `label` have their colours in the stylesheet.
 */
export function ChartFrame({
  title,
  summary,
  table,
  children,
}: {
  readonly title: string;
  readonly summary: ComponentChildren;
  readonly table: VNode;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong> {summary}
      </figcaption>
      {children}
      <details>
        <summary>The figures as a table</summary>
        {table}
      </details>
    </figure>
  );
}
