import type { ComponentChildren, VNode } from 'preact';
import { Icon } from './icon.js';
import { ofText } from './text.js';

interface PageHeadProps {
  readonly title: ComponentChildren;
  readonly crumbs?: ReadonlyArray<{ readonly label: string; readonly href: string }>;
  readonly badges?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function PageHead({ title, crumbs = [], badges, actions, children }: PageHeadProps): VNode {
  return (
    <div class="page-head">
      {crumbs.length > 0 && (
        <nav aria-label="Breadcrumbs" class="crumbs">
          {crumbs.map(({ label, href }, index) => (
            <span>
              {index > 0 && <Icon name="chevron-right" />}
              <a href={href}>{label}</a>
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

interface SectionProps {
  readonly title: string;
  readonly id?: string;
  /**
   * Makes the section an htmx out-of-band swap, so a response that targets a different element also updates this
   * section.
   */
  readonly swapBeside?: boolean | undefined;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ title, id, swapBeside, actions, children }: SectionProps): VNode {
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

export function Facts({ items }: { items: ReadonlyArray<readonly [name: string, value: ComponentChildren]> }): VNode {
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

export function Meter({ label, value, max }: { label: string; value: number; max: number }): VNode {
  return (
    <div class={`meter ${value > max ? 'bad' : value === max ? 'warn' : 'info'}`}>
      <span>{label}</span>
      <meter min={0} max={Math.max(1, max)} value={Math.min(value, Math.max(1, max))} aria-label={label} />
      <span class="meter-figure">{ofText(value, max)}</span>
    </div>
  );
}

interface LiveProps {
  readonly id: string;
  readonly from: string;
  readonly everySeconds?: number;
  readonly isOver?: boolean;
  readonly children: ComponentChildren;
}

/**
 * A self-refreshing part of a page. htmx morphs it, which preserves the focus and any open sections.
 *
 * @param id also the name of the fragment that the page returns on refresh
 */
export function Live({ id, from, everySeconds = 10, isOver = false, children }: LiveProps): VNode {
  const polling = {
    'data-hx-get': from,
    'data-hx-trigger': `every ${everySeconds}s`,
    'data-hx-target': `#${id}`,
    'data-hx-swap': 'outerMorph',
  };
  return (
    <div id={id} class="live" {...(!isOver && polling)}>
      {children}
    </div>
  );
}
