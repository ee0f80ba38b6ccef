import type { UsageDay } from '@artist-watch/persistence/account/usage-store';
import { scaleBand, scaleLinear } from 'd3-scale';
import type { VNode } from 'preact';
import { ChartFrame } from '../../views/chart-frame.js';
import { dayText } from '../../views/instant.js';
import { Table } from '../../views/table.js';

const WIDTH = 720;
const HEIGHT = 200;
const [LEFT, RIGHT, TOP, BOTTOM] = [64, 8, 12, 28];

/** Requests of the API by UTC day, and in the table deliveries and tool calls too. */
export function RequestsChart({
  days,
  locale,
}: {
  readonly days: readonly UsageDay[];
  readonly locale: string;
}): VNode {
  const number = (count: number) => count.toLocaleString(locale);
  const total = (of: (day: UsageDay) => number) => number(days.reduce((sum, day) => sum + of(day), 0));
  const summary =
    `${total(({ requests }) => requests)} in ${days.length} days; ` +
    `${total(({ deliveries }) => deliveries)} deliveries and ${total(({ toolCalls }) => toolCalls)} tool calls.`;
  const x = scaleBand()
    .domain(days.map(({ day }) => day))
    .range([LEFT, WIDTH - RIGHT])
    .padding(0.2);
  const y = scaleLinear()
    .domain([0, Math.max(4, ...days.map(({ requests }) => requests))])
    .nice(4)
    .range([HEIGHT - BOTTOM, TOP]);
  const every = Math.ceil(days.length / 7);
  const isEverySecond = (index: number) => (days.length - 1 - index) % (2 * every) !== 0;
  return (
    <ChartFrame title="API requests by day (UTC)." summary={summary} table={<FiguresTable {...{ days, number }} />}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`API requests by day. ${summary}`}>
        {y.ticks(4).map((tick) => (
          <>
            <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text class="label" x={LEFT - 8} y={y(tick)} dy="0.32em" text-anchor="end">
              {number(tick)}
            </text>
          </>
        ))}
        {days.map(({ day, requests }, index) => (
          <>
            <rect
              class="info"
              x={x(day)}
              y={y(requests)}
              width={x.bandwidth()}
              height={HEIGHT - BOTTOM - y(requests)}
            />
            {(days.length - 1 - index) % every === 0 && (
              <text
                class={isEverySecond(index) ? 'label roomy' : 'label'}
                x={(x(day) ?? 0) + x.bandwidth() / 2}
                y={HEIGHT - 8}
                text-anchor="middle"
              >
                {dayText(new Date(day), locale)}
              </text>
            )}
          </>
        ))}
      </svg>
    </ChartFrame>
  );
}

function FiguresTable({
  days,
  number,
}: {
  readonly days: readonly UsageDay[];
  readonly number: (count: number) => string;
}): VNode {
  return (
    <Table
      caption="Usage by day"
      rows={[...days].reverse()}
      columns={[
        { label: 'Day (UTC)', cell: ({ day }) => day },
        { label: 'API requests', numeric: true, cell: ({ requests }) => number(requests) },
        { label: 'Deliveries', numeric: true, cell: ({ deliveries }) => number(deliveries) },
        { label: 'Tool calls', numeric: true, cell: ({ toolCalls }) => number(toolCalls) },
      ]}
    />
  );
}
