import { SEVERITIES, type Severity } from '@artist-watch/domain/change/change-types';
import { stack } from 'd3-shape';
import type { VNode } from 'preact';
import { barScales, CHART_WIDTH, ChartFrame, DayLabels, Grid } from '../../views/chart-frame.js';
import { dayText } from '../../views/instant.js';
import { Table } from '../../views/table.js';
import { numberText } from '../../views/text.js';

export interface ChangesOfDay extends Readonly<Record<Severity, number>> {
  /** `YYYY-MM-DD` in the member's zone. */
  readonly day: string;
}

interface ChartProps {
  readonly days: readonly ChangesOfDay[];
  readonly hrefOfDay: (day: string) => string;
}

const LEFT = 48;
const HEIGHT = 180;
const CLASSES = { critical: 'bad', warning: 'warn', info: 'quiet' } as const;

/** Changes by day, the highest severity at the bottom where all days begin; a day leads to its changes. */
export function ChangesChart(props: ChartProps): VNode {
  const { days, hrefOfDay } = props;
  if (days.every((counts) => totalOf(counts) === 0)) return <p class="soft">None in {days.length} days.</p>;
  const names = days.map(({ day }) => day);
  const highest = Math.max(...days.map(totalOf));
  const { x, y } = barScales({ days: names, highest, height: HEIGHT, left: LEFT });
  const labelOf = (counts: ChangesOfDay) => `${dayText(new Date(counts.day))}: ${countsText(counts)}`;
  const layers = stack<ChangesOfDay, Severity>().keys(SEVERITIES)([...days]);
  return (
    <ChartFrame title="Changes by day." summary={<Summary days={days} />} table={<FiguresTable {...props} />}>
      <svg viewBox={`0 0 ${CHART_WIDTH} ${HEIGHT}`}>
        <title>Changes by day</title>
        <Grid y={y} left={LEFT} />
        {days.map(
          (counts, index) =>
            totalOf(counts) > 0 && (
              <a href={hrefOfDay(counts.day)} aria-label={labelOf(counts)}>
                <title>{labelOf(counts)}</title>
                {layers.map((layer) => {
                  const [from = 0, to = 0] = layer[index] ?? [];
                  const size = { width: x.bandwidth(), height: y(from) - y(to) };
                  return <rect class={CLASSES[layer.key]} x={x(counts.day)} y={y(to)} {...size} />;
                })}
              </a>
            ),
        )}
        <DayLabels days={names} x={x} height={HEIGHT} />
      </svg>
    </ChartFrame>
  );
}

function FiguresTable({ days, hrefOfDay }: ChartProps): VNode {
  const numbers = SEVERITIES.map((severity) => ({
    label: severity,
    numeric: true,
    cell: (counts: ChangesOfDay) => numberText(counts[severity]),
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
