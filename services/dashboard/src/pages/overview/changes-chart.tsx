import { SEVERITIES, type Severity } from '@artist-watch/domain/change/change-types';
import type { VNode } from 'preact';
import { BarChart } from '../../views/chart.js';
import { dayText } from '../../views/instant.js';
import { currentReader } from '../../views/markup.js';
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

const CLASSES = { critical: 'bad', warning: 'warn', info: 'quiet' } as const;

/**
 * A chart of the changes per day. The highest severity is at the bottom of each bar, and each bar links to the changes
 * of its day.
 */
export function ChangesChart(props: ChartProps): VNode {
  const { days, hrefOfDay } = props;
  if (days.every((counts) => totalOf(counts) === 0)) return <p class="soft">No changes in {days.length} days.</p>;
  const { zone } = currentReader();
  const bars = days.map((counts) => {
    const shown = SEVERITIES.filter((severity) => counts[severity] > 0);
    const label = `${dayText(new Date(counts.day))} (${zone}): ${countsText(counts)}`;
    return {
      day: counts.day,
      parts: shown.map((severity) => [CLASSES[severity], counts[severity]] as const),
      link: shown.length === 0 ? undefined : { href: hrefOfDay(counts.day), label },
    };
  });
  const numbers = SEVERITIES.map((severity) => ({
    label: severity,
    numeric: true,
    cell: (counts: ChangesOfDay) => numberText(counts[severity]),
  }));
  const table = (
    <Table
      caption="Changes by day"
      rows={[...days].reverse()}
      href={({ day }) => hrefOfDay(day)}
      columns={[{ label: `Day (${zone})`, cell: ({ day }) => day }, ...numbers]}
    />
  );
  return <BarChart title={`Changes by day (${zone})`} summary={<Summary days={days} />} {...{ table, bars }} />;
}

function totalOf({ critical, warning, info }: ChangesOfDay): number {
  return critical + warning + info;
}

/** `2 critical, 1 warning` */
function countsText(counts: Readonly<Record<Severity, number>>): string {
  const parts = SEVERITIES.filter((severity) => counts[severity] > 0);
  return parts.map((severity) => `${counts[severity]} ${severity}`).join(', ');
}

/** The totals by severity, each with its color in the chart. */
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
