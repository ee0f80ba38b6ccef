import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { ArtistDayRecord } from '@artist-watch/persistence/artist/artist-checks';
import { scaleLinear, scaleUtc } from 'd3-scale';
import { line } from 'd3-shape';
import type { VNode } from 'preact';
import { CHART_WIDTH, ChartFrame, Grid } from '../../views/chart-frame.js';
import { dayText } from '../../views/instant.js';
import { Empty } from '../../views/states.js';
import { Table } from '../../views/table.js';
import { numberText } from '../../views/text.js';

/** A day that stands out. */
export interface DayMark {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly value: number;
  readonly tone: 'bad' | 'good';
  readonly text: string;
  readonly href: string;
}

interface DayChartProps {
  readonly of: 'followers' | 'releases' | 'tracks';
  readonly days: readonly ArtistDayRecord[];
  readonly marks?: readonly DayMark[];
}

const HEIGHT = 220;
const [LEFT, RIGHT, TOP, BOTTOM] = [80, 16, 12, 36];
const DAY_MS = 86_400_000;

interface Point {
  readonly at: Date;
  readonly value: number;
}

/** One number by UTC day, with the days that stand out. A day without a number is a gap. */
export function DayChart({ of, days, marks = [] }: DayChartProps): VNode {
  const title = `${changeTitle(of)} by day (UTC)`;
  const points = days.map((each) => ({ at: new Date(each.day), value: each[of] }));
  const known = points.flatMap(({ at, value }): Point[] => (value === null ? [] : [{ at, value }]));
  const [first, last] = [known[0], known.at(-1)];
  if (!first || !last) {
    return (
      <Empty title={`No ${of} known yet`} icon="chart-column">
        <p>The first complete reading that shows them begins the chart.</p>
      </Empty>
    );
  }
  if (first === last) {
    return (
      <p>
        <strong>{title}.</strong> {numberText(first.value)} on {dayText(first.at)}.{' '}
        <span class="soft">The chart begins with a second day.</span>
      </p>
    );
  }
  const values = known.map(({ value }) => value);
  const x = scaleUtc()
    .domain([first.at, last.at])
    .range([LEFT, CHART_WIDTH - RIGHT]);
  const y = scaleLinear()
    .domain([Math.min(...values), Math.max(...values)])
    .nice(4)
    .range([HEIGHT - BOTTOM, TOP]);
  const path = line<{ at: Date; value: number | null }>()
    .defined(({ value }) => value !== null)
    .x(({ at }) => x(at))
    .y(({ value }) => y(value ?? 0))(points);
  const xTicks = x.ticks(6).filter((at) => at.getTime() % DAY_MS === 0);
  const yTicks = y.ticks(4).filter(Number.isInteger);
  const summary = summaryOf(of, [first, last], marks.length);
  return (
    <ChartFrame title={title} summary={summary} table={<FiguresTable of={of} days={days} />}>
      <svg viewBox={`0 0 ${CHART_WIDTH} ${HEIGHT}`}>
        <title>{`${title}. ${summary}`}</title>
        <Grid y={y} ticks={yTicks} left={LEFT} right={RIGHT} />
        {xTicks.map((at, index) => (
          <text class={index % 2 === 1 ? 'label roomy' : 'label'} x={x(at)} y={HEIGHT - 8} text-anchor="middle">
            {dayText(at)}
          </text>
        ))}
        <path class="line" d={path ?? ''} />
        <circle class="info" cx={x(last.at)} cy={y(last.value)} r="4" />
        {marks.map(({ day, value, tone, text, href }) => (
          <a href={href} aria-label={text}>
            <title>{text}</title>
            <circle class={tone} cx={x(new Date(day))} cy={y(value)} r="7" />
          </a>
        ))}
      </svg>
    </ChartFrame>
  );
}

function summaryOf(of: DayChartProps['of'], [first, last]: readonly [Point, Point], marks: number): string {
  const change = last.value - first.value;
  const words = change === 0 ? 'no change' : `${numberText(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'}`;
  const marked = marks === 0 ? '' : ` ${marks} ${marks === 1 ? 'day stands' : 'days stand'} out of the usual ${of}.`;
  return `${numberText(first.value)} on ${dayText(first.at)}, ${numberText(last.value)} on ${dayText(last.at)}: ${words}.${marked}`;
}

function FiguresTable({ of, days }: Pick<DayChartProps, 'of' | 'days'>): VNode {
  const title = changeTitle(of);
  return (
    <Table
      caption={`${title} by day`}
      rows={[...days].reverse()}
      columns={[
        { label: 'Day (UTC)', cell: ({ day }) => day },
        { label: title, numeric: true, cell: (each) => (each[of] === null ? '–' : numberText(each[of])) },
        {
          label: 'Complete readings',
          numeric: true,
          cell: ({ completeReadings, readings }) => `${completeReadings} of ${readings}`,
        },
      ]}
    />
  );
}
