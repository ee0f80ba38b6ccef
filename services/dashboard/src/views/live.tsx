import type { ComponentChildren, VNode } from 'preact';

/**
 * A part of a page that keeps itself current: it is asked for again and merged into what is shown, so that neither focus nor
 * what was opened is lost. Without scripts it is as current as the page.
 *
 * @param id also the name of the fragment that the page answers with.
 */
export function Live({
  id,
  from,
  children,
}: {
  readonly id: string;
  /** The address of the page. */
  readonly from: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <div
      id={id}
      class="live"
      data-hx-get={from}
      data-hx-target={`#${id}`}
      data-hx-trigger="every 10s"
      data-hx-swap="outerMorph"
    >
      {children}
    </div>
  );
}
