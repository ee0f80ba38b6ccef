import { scaleLinear } from 'd3-scale';
import type { ComponentChildren, VNode } from 'preact';
import { dayText } from './instant.js';
import { numberText } from './text.js';

interface ChartProps {
  /** The title must include the time zone that the days are in. */
  readonly title: string;
  readonly summary: ComponentChildren;
  /** The same numbers as a table, for people who cannot see the chart. */
  readonly table: VNode;
  readonly days: readonly [first: string, last: string];
  readonly room?: number;
  readonly values: readonly [number, number];
  /**
   * A chart that contains links doesn't get the role `img`, because that role would hide the links from screen readers.
   */
  readonly hasLinks: boolean;
  /** `x` converts a time in milliseconds to a coordinate, and `y` converts a value. */
  readonly draw: (x: (at: number) => number, y: (value: number) => number) => ComponentChildren;
}

const [WIDTH, HEIGHT] = [720, 220];
/** Space for numbers on the left, marks at the top and days at the bottom. */
const [LEFT, RIGHT, TOP, BOTTOM] = [80, 24, 12, 36];
const LABELS = 7;
const DAY_MS = 86_400_000;

/** Colors are set in the stylesheet, because the content security policy forbids style attributes. */
export function Chart({ title, summary, table, days, room = 0, values, hasLinks, draw }: ChartProps): VNode {
  const [first, last] = [Date.parse(days[0]), Date.parse(days[1])];
  const x = scaleLinear([first - room * DAY_MS, last + room * DAY_MS], [LEFT, WIDTH - RIGHT]);
  const y = scaleLinear(values, [HEIGHT - BOTTOM, TOP]).nice(4);
  const count = (last - first) / DAY_MS + 1;
  const every = Math.ceil(count / LABELS);
  const labelled = Array.from({ length: Math.ceil(count / every) }, (_, index) => last - index * every * DAY_MS);
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}.</strong> {summary}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role={hasLinks ? undefined : 'img'}>
        <title>{title}</title>
        {y
          .ticks(4)
          .filter(Number.isInteger)
          .map((tick) => (
            <>
              <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} />
              <text class="label" x={LEFT - 8} y={y(tick)} dy="0.32em" text-anchor="end">
                {numberText(tick)}
              </text>
            </>
          ))}
        {draw(x, y)}
        {labelled.map((at, index) => (
          <text class={index % 2 === 1 ? 'label roomy' : 'label'} x={x(at)} y={HEIGHT - 8} text-anchor="middle">
            {dayText(new Date(at))}
          </text>
        ))}
      </svg>
      <details>
        <summary>Show as a table</summary>
        {table}
      </details>
    </figure>
  );
}

interface DayBar {
  readonly day: string;
  readonly parts: ReadonlyArray<readonly [look: string, value: number]>;
  readonly link?: { readonly href: string; readonly label: string } | undefined;
}

interface BarChartProps extends Pick<ChartProps, 'title' | 'summary' | 'table'> {
  /** One bar per day, oldest first. There must be at least one. */
  readonly bars: readonly DayBar[];
}

export function BarChart({ bars, ...frame }: BarChartProps): VNode {
  const highest = Math.max(4, ...bars.map(({ parts }) => parts.reduce((sum, [, value]) => sum + value, 0)));
  const ends = [bars[0], bars.at(-1)] as [DayBar, DayBar];
  return (
    <Chart
      {...frame}
      days={[ends[0].day, ends[1].day]}
      room={0.5}
      values={[0, highest]}
      hasLinks={bars.some(({ link }) => link)}
      draw={(x, y) => {
        const width = 0.8 * (x(DAY_MS) - x(0));
        return bars.map(({ day, parts, link }) => {
          let below = 0;
          const stack = parts.map(([look, value]) => {
            const bottom = y(below);
            below += value;
            const size = { width, height: bottom - y(below) };
            return <rect class={look} x={x(Date.parse(day)) - width / 2} y={y(below)} {...size} />;
          });
          if (!link) return stack;
          return (
            <a href={link.href} aria-label={link.label}>
              <title>{link.label}</title>
              {stack}
            </a>
          );
        });
      }}
    />
  );
}
