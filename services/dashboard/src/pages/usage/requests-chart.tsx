import type { UsageDay } from '@artist-watch/persistence/account/usage-store';
import type { VNode } from 'preact';
import { barScales, CHART_WIDTH, ChartFrame, DayLabels, Grid } from '../../views/chart-frame.js';
import { Table } from '../../views/table.js';
import { numberText } from '../../views/text.js';

const LEFT = 64;
const HEIGHT = 200;

/** Requests of the API by UTC day, and in the table deliveries and tool calls too. */
export function RequestsChart({ days }: { readonly days: readonly UsageDay[] }): VNode {
  const total = (of: (day: UsageDay) => number) => numberText(days.reduce((sum, day) => sum + of(day), 0));
  const summary =
    `${total(({ requests }) => requests)} in ${days.length} days; ` +
    `${total(({ deliveries }) => deliveries)} deliveries and ${total(({ toolCalls }) => toolCalls)} tool calls.`;
  const names = days.map(({ day }) => day);
  const highest = Math.max(...days.map(({ requests }) => requests));
  const { x, y } = barScales({ days: names, highest, height: HEIGHT, left: LEFT });
  return (
    <ChartFrame title="API requests by day (UTC)." summary={summary} table={<FiguresTable days={days} />}>
      <svg viewBox={`0 0 ${CHART_WIDTH} ${HEIGHT}`} role="img" aria-label={`API requests by day. ${summary}`}>
        <Grid y={y} left={LEFT} />
        {days.map(({ day, requests }) => (
          <rect class="info" x={x(day)} y={y(requests)} width={x.bandwidth()} height={y(0) - y(requests)} />
        ))}
        <DayLabels days={names} x={x} height={HEIGHT} />
      </svg>
    </ChartFrame>
  );
}

function FiguresTable({ days }: { readonly days: readonly UsageDay[] }): VNode {
  return (
    <Table
      caption="Usage by day"
      rows={[...days].reverse()}
      columns={[
        { label: 'Day (UTC)', cell: ({ day }) => day },
        { label: 'API requests', numeric: true, cell: ({ requests }) => numberText(requests) },
        { label: 'Deliveries', numeric: true, cell: ({ deliveries }) => numberText(deliveries) },
        { label: 'Tool calls', numeric: true, cell: ({ toolCalls }) => numberText(toolCalls) },
      ]}
    />
  );
}
