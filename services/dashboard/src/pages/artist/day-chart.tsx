import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { ArtistDayRecord } from '@artist-watch/persistence/artist/artist-checks';
import type { VNode } from 'preact';
import { Chart } from '../../views/chart.js';
import { dayText } from '../../views/instant.js';
import { Table } from '../../views/table.js';
import { numberText } from '../../views/text.js';

interface Point {
  readonly day: string;
  readonly value: number;
}

export interface DayMark extends Point {
  readonly tone: 'bad' | 'good';
  readonly text: string;
  readonly href: string;
}

interface DayChartProps {
  readonly of: 'followers' | 'releases' | 'tracks';
  /** At least two of them have a value. */
  readonly days: readonly ArtistDayRecord[];
  readonly marks: readonly DayMark[];
}

export function DayChart({ of, days, marks }: DayChartProps): VNode {
  const title = `${changeTitle(of)} by day (UTC)`;
  const points = days.map(({ day, ...counts }) => ({ day, value: counts[of] }));
  const known = points.flatMap(({ day, value }): Point[] => (value === null ? [] : [{ day, value }]));
  const [first, last] = [known[0], known.at(-1)] as [Point, Point];
  const values = known.map(({ value }) => value);
  return (
    <Chart
      title={title}
      summary={summaryOf([first, last], marks.length)}
      table={<FiguresTable of={of} days={days} />}
      days={[first.day, last.day]}
      values={[Math.min(...values), Math.max(...values)]}
      hasLinks={marks.length > 0}
      draw={(x, y) => {
        const at = ({ day, value }: Point) => [x(Date.parse(day)), y(value)] as const;
        const path = points.map(({ day, value }, index) => {
          const isAfterGap = (points[index - 1]?.value ?? null) === null;
          return value === null ? '' : `${isAfterGap ? 'M' : 'L'}${at({ day, value })}`;
        });
        const [cx, cy] = at(last);
        return (
          <>
            <path class="line" d={path.join('')} />
            <circle class="info" cx={cx} cy={cy} r="4" />
            {marks.map(({ tone, text, href, ...mark }) => (
              <a href={href} aria-label={text}>
                <title>{text}</title>
                <circle class={tone} cx={at(mark)[0]} cy={at(mark)[1]} r="7" />
              </a>
            ))}
          </>
        );
      }}
    />
  );
}

function summaryOf([first, last]: readonly [Point, Point], marks: number): string {
  const change = last.value - first.value;
  const words = change === 0 ? 'no change' : `${numberText(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'}`;
  const marked = marks === 0 ? '' : ` ${marks} ${marks === 1 ? 'day is' : 'days are'} marked as unusual.`;
  const on = ({ day, value }: Point) => `${numberText(value)} on ${dayText(new Date(day))}`;
  return `${on(first)}, ${on(last)}: ${words}.${marked}`;
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
          label: 'Full checks',
          numeric: true,
          cell: ({ completeReadings, readings }) => `${completeReadings} of ${readings}`,
        },
      ]}
    />
  );
}
