import { SEVERITIES, type Severity } from '@artist-watch/domain/change/change-types';
import { scaleBand, scaleLinear } from 'd3-scale';
import { stack } from 'd3-shape';
import type { VNode } from 'preact';
import { ChartFrame } from '../../views/chart-frame.js';
import { dayText } from '../../views/instant.js';
import { Table } from '../../views/table.js';

export interface ChangesOfDay extends Readonly<Record<Severity, number>> {
  /** `YYYY-MM-DD` in the member's zone. */
  readonly day: string;
}

interface ChartProps {
  readonly days: readonly ChangesOfDay[];
  readonly locale: string;
  readonly hrefOfDay: (day: string) => string;
}

const WIDTH = 720;
const HEIGHT = 180;
const [LEFT, RIGHT, TOP, BOTTOM] = [48, 8, 12, 28];
const CLASSES = { critical: 'bad', warning: 'warn', info: 'quiet' } as const;
const LABELS = 7;

/** Changes by day, the highest severity at the bottom where all days begin; a day leads to its changes. */
export function ChangesChart(props: ChartProps): VNode {
  const { days, locale, hrefOfDay } = props;
  if (days.every((counts) => totalOf(counts) === 0)) return <p class="soft">None in {days.length} days.</p>;
  const x = scaleBand()
    .domain(days.map(({ day }) => day))
    .range([LEFT, WIDTH - RIGHT])
    .padding(0.2);
  const y = scaleLinear()
    .domain([0, Math.max(4, ...days.map(totalOf))])
    .nice(4)
    .range([HEIGHT - BOTTOM, TOP]);
  const layers = stack<ChangesOfDay, Severity>().keys(SEVERITIES)([...days]);
  const every = Math.ceil(days.length / LABELS);
  const isEverySecond = (index: number) => (days.length - 1 - index) % (2 * every) !== 0;
  return (
    <ChartFrame title="Changes by day." summary={<Summary days={days} />} table={<FiguresTable {...props} />}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
        <title>Changes by day</title>
        {y.ticks(4).map((tick) => (
          <>
            <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text class="label" x={LEFT - 8} y={y(tick)} dy="0.32em" text-anchor="end">
              {tick.toLocaleString(locale)}
            </text>
          </>
        ))}
        {days.map((counts, index) => (
          <>
            {totalOf(counts) > 0 && (
              <a
                href={hrefOfDay(counts.day)}
                aria-label={`${dayText(new Date(counts.day), locale)}: ${countsText(counts)}`}
              >
                <title>{`${dayText(new Date(counts.day), locale)}: ${countsText(counts)}`}</title>
                {layers.map((layer) => {
                  const [from = 0, to = 0] = layer[index] ?? [];
                  return (
                    <rect
                      class={CLASSES[layer.key]}
                      x={x(counts.day)}
                      y={y(to)}
                      width={x.bandwidth()}
                      height={y(from) - y(to)}
                    />
                  );
                })}
              </a>
            )}
            {(days.length - 1 - index) % every === 0 && (
              <text
                class={isEverySecond(index) ? 'label roomy' : 'label'}
                x={(x(counts.day) ?? 0) + x.bandwidth() / 2}
                y={HEIGHT - 8}
                text-anchor="middle"
              >
                {dayText(new Date(counts.day), locale)}
              </text>
            )}
          </>
        ))}
      </svg>
    </ChartFrame>
  );
}

function FiguresTable({ days, locale, hrefOfDay }: ChartProps): VNode {
  const numbers = SEVERITIES.map((severity) => ({
    label: severity,
    numeric: true,
    cell: (counts: ChangesOfDay) => counts[severity].toLocaleString(locale),
  }));
  return (
    <Table
      caption="Changes by day"
      rows={[...days].reverse()}
      href={({ day }) => hrefOfDay(day)}
      columns={[{ label: 'Day', cell: ({ day }) => day }, ...numbers]}
    />
  );
}

function totalOf({ critical, warning, info }: ChangesOfDay): number {
  return critical + warning + info;
}

/** `2 critical, 1 warning` */
function countsText(counts: Readonly<Record<Severity, number>>): string {
  const parts = SEVERITIES.filter((severity) => counts[severity] > 0);
  return parts.map((severity) => `${counts[severity]} ${severity}`).join(', ');
}

/** What there was in all, each severity with the colour that it has in the chart. */
function Summary({ days }: Pick<ChartProps, 'days'>): VNode {
  const sums = SEVERITIES.map((severity) => ({
    severity,
    sum: days.reduce((total, counts) => total + counts[severity], 0),
  })).filter(({ sum }) => sum > 0);
  return (
    <>
      {sums.map(({ severity, sum }, index) => (
        <>
          {index > 0 && ', '}
          <span class={`swatch ${CLASSES[severity]}`} />
          {`${sum} ${severity}`}
        </>
      ))}
      {` in ${days.length} days.`}
    </>
  );
}
