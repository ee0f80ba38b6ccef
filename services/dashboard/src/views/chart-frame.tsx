import { type ScaleBand, type ScaleLinear, scaleBand, scaleLinear } from 'd3-scale';
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

interface Bars {
  /** `YYYY-MM-DD`, oldest first: a bar each. */
  readonly days: readonly string[];
  readonly highest: number;
  readonly height: number;
  /** Room for the numbers at the left. */
  readonly left: number;
}

export function barScales({ days, highest, height, left }: Bars) {
  return {
    x: scaleBand()
      .domain(days)
      .range([left, CHART_WIDTH - MARGINS.right])
      .padding(0.2),
    y: scaleLinear()
      .domain([0, Math.max(4, highest)])
      .nice(4)
      .range([height - MARGINS.bottom, MARGINS.top]),
  };
}

interface DayLabelsProps extends Pick<Bars, 'days' | 'height'> {
  readonly x: ScaleBand<string>;
}

/** Some of the days below their bars, the last one among them; half of them on a phone. */
export function DayLabels({ days, x, height }: DayLabelsProps): VNode {
  const every = Math.ceil(days.length / LABELS);
  const labelled = days.filter((_, index) => (days.length - 1 - index) % every === 0).reverse();
  return (
    <>
      {labelled.map((day, index) => (
        <text
          class={index % 2 === 1 ? 'label roomy' : 'label'}
          x={(x(day) ?? 0) + x.bandwidth() / 2}
          y={height - 8}
          text-anchor="middle"
        >
          {dayText(new Date(day))}
        </text>
      ))}
    </>
  );
}
