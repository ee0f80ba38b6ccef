import { SEVERITIES, type Severity } from '@artist-watch/domain/change/change-types';
import type { VNode } from 'preact';
import { dayText } from '../../views/instant.js';
import { currentReader } from '../../views/markup.js';
import { counted } from '../../views/text.js';

export interface ChangesOfDay extends Readonly<Record<Severity, number>> {
  readonly day: string;
}

interface ChartProps {
  readonly days: readonly ChangesOfDay[];
  readonly hrefOfDay: (day: string) => string;
}

const [HEIGHT, STEP, WIDTH] = [60, 10, 7];

/** Critical changes are at the bottom of each bar. Each bar links to the changes of its day. */
export function ChangesChart({ days, hrefOfDay }: ChartProps): VNode {
  const { zone } = currentReader();
  const scale = HEIGHT / Math.max(4, ...days.map(totalOf));
  const total = days.reduce((sum, counts) => sum + totalOf(counts), 0);
  const critical = days.reduce((sum, counts) => sum + counts.critical, 0);
  return (
    <div class="trend">
      <p class="soft">{`${counted(total, 'change')} in ${days.length} days, ${critical} critical`}</p>
      {total > 0 && (
        <svg class="spark" viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`} preserveAspectRatio="none">
          <title>{`Changes by day (${zone})`}</title>
          {days.map((counts, index) => {
            const all = totalOf(counts);
            if (all === 0) return null;
            const label = `${dayText(new Date(counts.day))} (${zone}): ${countsText(counts)}`;
            const bar = (look: string, from: number, to: number) => (
              <rect class={look} x={index * STEP} y={HEIGHT - to * scale} width={WIDTH} height={(to - from) * scale} />
            );
            return (
              <a href={hrefOfDay(counts.day)} aria-label={label}>
                <title>{label}</title>
                {counts.critical > 0 && bar('bad', 0, counts.critical)}
                {all > counts.critical && bar('quiet', counts.critical, all)}
              </a>
            );
          })}
        </svg>
      )}
    </div>
  );
}

function totalOf({ critical, warning, info }: ChangesOfDay): number {
  return critical + warning + info;
}

function countsText(counts: Readonly<Record<Severity, number>>): string {
  const parts = SEVERITIES.filter((severity) => counts[severity] > 0);
  return parts.map((severity) => `${counts[severity]} ${severity}`).join(', ');
}
