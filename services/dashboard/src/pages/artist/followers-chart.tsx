import { scaleLinear, scaleUtc } from 'd3-scale';
import { line } from 'd3-shape';
import type { VNode } from 'preact';
import { ChartFrame } from '../../views/chart-frame.js';
import { Empty } from '../../views/states.js';
import { Table } from '../../views/table.js';

export interface FollowersDay {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly followers: number | null;
  readonly readings: number;
  readonly completeReadings: number;
}

const WIDTH = 720;
const HEIGHT = 220;
const [LEFT, RIGHT, TOP, BOTTOM] = [80, 16, 12, 28];

interface Point {
  readonly at: Date;
  readonly followers: number | null;
}

/** Followers by UTC day. A day without a number is a gap. */
export function FollowersChart({
  days,
  locale,
}: {
  readonly days: readonly FollowersDay[];
  readonly locale: string;
}): VNode {
  const points = days.map(({ day, followers }): Point => ({ at: new Date(day), followers }));
  const known = points.flatMap(({ at, followers }) => (followers === null ? [] : [{ at, followers }]));
  const [first, last] = [known[0], known.at(-1)];
  if (!first || !last) {
    return (
      <Empty title="No followers known yet" icon="chart-column">
        <p>The first complete reading that shows them begins the chart.</p>
      </Empty>
    );
  }
  const dayOf = (at: Date) =>
    new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(at);
  const counts = known.map(({ followers }) => followers);
  const x = scaleUtc()
    .domain([first.at, last.at])
    .range([LEFT, WIDTH - RIGHT]);
  const y = scaleLinear()
    .domain([Math.min(...counts), Math.max(...counts)])
    .nice(4)
    .range([HEIGHT - BOTTOM, TOP]);
  const path = line<Point>()
    .defined(({ followers }) => followers !== null)
    .x(({ at }) => x(at))
    .y(({ followers }) => y(followers ?? 0))(points);
  const xTicks = known.length === 1 ? [first.at] : x.ticks(6).filter((at) => at.getTime() % 86_400_000 === 0);
  const summary = summaryOf(first, last, dayOf, locale);
  return (
    <ChartFrame title="Followers by day." summary={summary} table={<FiguresTable days={days} locale={locale} />}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Followers by day. ${summary}`}>
        {y.ticks(4).map((tick) => (
          <>
            <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text class="label" x={LEFT - 8} y={y(tick)} dy="0.32em" text-anchor="end">
              {tick.toLocaleString(locale)}
            </text>
          </>
        ))}
        {xTicks.map((at) => (
          <text class="label" x={x(at)} y={HEIGHT - 8} text-anchor="middle">
            {dayOf(at)}
          </text>
        ))}
        <path class="line" d={path ?? ''} />
        <circle class="info" cx={x(last.at)} cy={y(last.followers)} r="4" />
      </svg>
    </ChartFrame>
  );
}

type KnownPoint = { readonly at: Date; readonly followers: number };

function summaryOf(first: KnownPoint, last: KnownPoint, dayOf: (at: Date) => string, locale: string): string {
  const number = (count: number) => count.toLocaleString(locale);
  if (first === last) return `${number(first.followers)} on ${dayOf(first.at)}.`;
  const change = last.followers - first.followers;
  const words = change === 0 ? 'no change' : `${number(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'}`;
  return `${number(first.followers)} on ${dayOf(first.at)}, ${number(last.followers)} on ${dayOf(last.at)}: ${words}.`;
}

function FiguresTable({ days, locale }: { readonly days: readonly FollowersDay[]; readonly locale: string }): VNode {
  return (
    <Table
      caption="Followers by day"
      rows={[...days].reverse()}
      columns={[
        { label: 'Day (UTC)', cell: ({ day }) => day },
        { label: 'Followers', numeric: true, cell: ({ followers }) => followers?.toLocaleString(locale) ?? '–' },
        {
          label: 'Complete readings',
          numeric: true,
          cell: ({ completeReadings, readings }) => `${completeReadings} of ${readings}`,
        },
      ]}
    />
  );
}
