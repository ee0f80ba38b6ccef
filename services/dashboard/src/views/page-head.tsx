import type { ComponentChildren, VNode } from 'preact';
import { Icon } from './icon.js';
import { ofText } from './text.js';

/** The head of a page: where it stands, its title with badges, and what can be done. */
export function PageHead({
  title,
  crumbs = [],
  badges,
  actions,
  children,
}: {
  readonly title: ComponentChildren;
  /** The pages above it, the highest first. */
  readonly crumbs?: ReadonlyArray<{ readonly label: string; readonly href: string }>;
  readonly badges?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** A sentence or two below the title. */
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <div class="page-head">
      {crumbs.length > 0 && (
        <nav aria-label="Where you are" class="crumbs">
          {crumbs.map(({ label, href }) => (
            <span>
              <a href={href}>{label}</a>
              <Icon name="chevron-right" />
            </span>
          ))}
        </nav>
      )}
      <div class="page-title">
        <h1>{title}</h1>
        {badges}
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children && <div class="lead">{children}</div>}
    </div>
  );
}

/** A part of a page, on a surface of its own. With an id, htmx can replace it. */
export function Section({
  title,
  id,
  swapBeside,
  actions,
  children,
}: {
  readonly title: string;
  readonly id?: string;
  /** In an answer for another part of the page: htmx puts it where the section of this id is. */
  readonly swapBeside?: boolean | undefined;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <section class="section" id={id} data-hx-swap-oob={swapBeside ? 'outerMorph' : undefined}>
      <div class="section-head">
        <h2>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** Names and values; what is unknown is left out. */
export function Facts({
  items,
}: {
  readonly items: ReadonlyArray<readonly [name: string, value: ComponentChildren]>;
}): VNode {
  return (
    <dl class="facts">
      {items
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** How much of a limit is used, in words and as a bar. */
export function Meter({
  label,
  value,
  max,
  tone = 'info',
}: {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly tone?: 'info' | 'warn' | 'bad';
}): VNode {
  return (
    <div class={`meter ${tone}`}>
      <span>{label}</span>
      <meter min={0} max={Math.max(1, max)} value={Math.min(value, Math.max(1, max))} aria-label={label} />
      <span class="meter-figure">{ofText(value, max)}</span>
    </div>
  );
}

interface LiveProps {
  readonly id: string;
  /** The address of the page. */
  readonly from: string;
  readonly children: ComponentChildren;
}

/**
 * A part of a page that keeps itself current: it is asked for again and merged into what is shown, so that neither focus nor
 * what was opened is lost. Without scripts it is as current as the page.
 *
 * @param id also the name of the fragment that the page answers with.
 */
export function Live({ id, from, children }: LiveProps): VNode {
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
