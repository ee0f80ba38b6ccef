import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { ArtistDayRecord } from '@artist-watch/persistence/artist/artist-checks';
import { scaleLinear } from 'd3-scale';
import type { VNode } from 'preact';
import { dateText, dayText } from '../../views/instant.js';
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

const [WIDTH, HEIGHT] = [720, 220];
/** Space for numbers on the left, marks at the top and days at the bottom. */
const [LEFT, RIGHT, TOP, BOTTOM] = [80, 24, 12, 36];
const LABELS = 7;
const DAY_MS = 86_400_000;

/** Colors are set in the stylesheet, because the content security policy forbids style attributes. */
export function DayChart({ of, days, marks }: DayChartProps): VNode {
  const title = `${changeTitle(of)} by day (UTC)`;
  const points = days.map(({ day, ...counts }) => ({ day, value: counts[of] }));
  const known = points.filter((point): point is Point => point.value !== null);
  const [first, last] = [known[0], known.at(-1)] as [Point, Point];
  const values = known.map(({ value }) => value);
  const [firstMs, lastMs] = [Date.parse(first.day), Date.parse(last.day)];
  const x = scaleLinear([firstMs, lastMs], [LEFT, WIDTH - RIGHT]);
  const y = scaleLinear([Math.min(...values), Math.max(...values)], [HEIGHT - BOTTOM, TOP]).nice(4);
  const at = ({ day, value }: Point) => [x(Date.parse(day)), y(value)] as const;
  const path = points.map(({ day, value }, index) => {
    const isAfterGap = (points[index - 1]?.value ?? null) === null;
    return value === null ? '' : `${isAfterGap ? 'M' : 'L'}${at({ day, value })}`;
  });
  const count = (lastMs - firstMs) / DAY_MS + 1;
  const every = Math.ceil(count / LABELS);
  const labelled = Array.from({ length: Math.ceil(count / every) }, (_, index) => lastMs - index * every * DAY_MS);
  const [cx, cy] = at(last);
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}.</strong> {summaryOf([first, last], marks.length)}
      </figcaption>
      {/* The role `img` would hide the links from screen readers. */}
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role={marks.length > 0 ? undefined : 'img'}>
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
        <path class="line" d={path.join('')} />
        <circle class="info" cx={cx} cy={cy} r="4" />
        {marks.map(({ tone, text, href, ...mark }) => (
          <a href={href} aria-label={text}>
            <title>{text}</title>
            <circle class={tone} cx={at(mark)[0]} cy={at(mark)[1]} r="7" />
          </a>
        ))}
        {labelled.map((ms, index) => (
          <text class={index % 2 === 1 ? 'label roomy' : 'label'} x={x(ms)} y={HEIGHT - 8} text-anchor="middle">
            {dayText(new Date(ms))}
          </text>
        ))}
      </svg>
      <details>
        <summary>Show as a table</summary>
        <Table
          caption={`${changeTitle(of)} by day`}
          rows={[...days].reverse()}
          columns={[
            { label: 'Day (UTC)', cell: ({ day }) => dateText(day) },
            { label: changeTitle(of), numeric: true, cell: (each) => numberText(each[of]) },
            {
              label: 'Full checks',
              numeric: true,
              cell: ({ completeReadings, readings }) => `${completeReadings} of ${readings}`,
            },
          ]}
        />
      </details>
    </figure>
  );
}

function summaryOf([first, last]: readonly [Point, Point], marks: number): string {
  const change = last.value - first.value;
  const words = change === 0 ? 'no change' : `${numberText(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'}`;
  const marked = marks === 0 ? '' : ` ${marks} ${marks === 1 ? 'day is' : 'days are'} marked as unusual.`;
  const on = ({ day, value }: Point) => `${numberText(value)} on ${dayText(new Date(day))}`;
  return `${on(first)}, ${on(last)}: ${words}.${marked}`;
}
