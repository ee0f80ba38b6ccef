import { type ScaleLinear, scaleBand, scaleLinear } from 'd3-scale';
import type { ComponentChildren, VNode } from 'preact';
import { dayText } from './instant.js';
import { numberText } from './text.js';

interface ChartFrameProps {
  readonly title: string;
  readonly summary: ComponentChildren;
  readonly table: VNode;
  readonly children: ComponentChildren;
}

/**
 * A chart with what it says in a sentence, and the same figures as a table for those who cannot see it.
 *
 * Children is the `<svg>`, drawn at a viewBox of 720 by what height it takes, without a style attribute: classes `bad`,
 * `warn`, `quiet`, `good`, `line`, `grid` and `label` have their colours in the stylesheet.
 */
export function ChartFrame({ title, summary, table, children }: ChartFrameProps): VNode {
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}.</strong> {summary}
      </figcaption>
      {children}
      <details>
        <summary>The figures as a table</summary>
        {table}
      </details>
    </figure>
  );
}

export const CHART_WIDTH = 720;
const MARGINS = { right: 8, top: 12, bottom: 28 };
const LABELS = 7;

interface GridProps {
  readonly y: ScaleLinear<number, number>;
  readonly ticks?: readonly number[];
  readonly left: number;
  readonly right?: number;
}

/** A line across the chart at each round number, which stands at the left. */
export function Grid({ y, ticks = y.ticks(4), left, right = MARGINS.right }: GridProps): VNode {
  return (
    <>
      {ticks.map((tick) => (
        <>
          <line class="grid" x1={left} x2={CHART_WIDTH - right} y1={y(tick)} y2={y(tick)} />
          <text class="label" x={left - 8} y={y(tick)} dy="0.32em" text-anchor="end">
            {numberText(tick)}
          </text>
        </>
      ))}
    </>
  );
}

/** A day of a chart. */
export interface DayBar {
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** From the bottom up, each with the class of its colour. */
  readonly parts: ReadonlyArray<readonly [look: string, value: number]>;
  /** Where the bar leads to, and what it says. */
  readonly link?: { readonly href: string; readonly label: string } | undefined;
}

const BAR_HEIGHT = 190;
/** Room for the numbers. */
const BAR_LEFT = 56;

/** A bar for each day, the oldest first. @param title names the zone of the days */
export function BarChart({ title, bars, ...frame }: Omit<ChartFrameProps, 'children'> & { bars: readonly DayBar[] }) {
  const highest = Math.max(...bars.map(({ parts }) => parts.reduce((sum, [, value]) => sum + value, 0)));
  const x = scaleBand()
    .domain(bars.map(({ day }) => day))
    .range([BAR_LEFT, CHART_WIDTH - MARGINS.right])
    .padding(0.2);
  const y = scaleLinear()
    .domain([0, Math.max(4, highest)])
    .nice(4)
    .range([BAR_HEIGHT - MARGINS.bottom, MARGINS.top]);
  const stackOf = ({ day, parts }: DayBar) => {
    let below = 0;
    return parts.map(([look, value]) => {
      const bottom = y(below);
      below += value;
      return <rect class={look} x={x(day)} y={y(below)} width={x.bandwidth()} height={bottom - y(below)} />;
    });
  };
  // Some of the days, the last one among them; half of them on a phone.
  const every = Math.ceil(bars.length / LABELS);
  const labelled = bars.filter((_, index) => (bars.length - 1 - index) % every === 0).reverse();
  return (
    <ChartFrame title={title} {...frame}>
      {/* Of an image the links would not be read aloud. */}
      <svg viewBox={`0 0 ${CHART_WIDTH} ${BAR_HEIGHT}`} role={bars.some(({ link }) => link) ? undefined : 'img'}>
        <title>{title}</title>
        <Grid y={y} left={BAR_LEFT} />
        {bars.map((bar) =>
          bar.link ? (
            <a href={bar.link.href} aria-label={bar.link.label}>
              <title>{bar.link.label}</title>
              {stackOf(bar)}
            </a>
          ) : (
            stackOf(bar)
          ),
        )}
        {labelled.map(({ day }, index) => (
          <text
            class={index % 2 === 1 ? 'label roomy' : 'label'}
            x={(x(day) ?? 0) + x.bandwidth() / 2}
            y={BAR_HEIGHT - 8}
            text-anchor="middle"
          >
            {dayText(new Date(day))}
          </text>
        ))}
      </svg>
    </ChartFrame>
  );
}
