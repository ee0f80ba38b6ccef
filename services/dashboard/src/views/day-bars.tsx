import type { VNode } from 'preact';
import { dayText } from './instant.js';

interface DayBar {
  readonly day: string;
  /** Stacked from the bottom. The first word is the color's class. */
  readonly parts: ReadonlyArray<readonly [look: string, value: number]>;
  readonly label: string;
  readonly href?: string;
}

const [HEIGHT, STEP, WIDTH] = [60, 10, 7];

export function DayBars({ title, bars }: { readonly title: string; readonly bars: readonly DayBar[] }): VNode {
  const totalOf = ({ parts }: DayBar) => parts.reduce((sum, [, value]) => sum + value, 0);
  const scale = HEIGHT / Math.max(4, ...bars.map(totalOf));
  return (
    <>
      <svg class="spark" viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`} preserveAspectRatio="none">
        <title>{title}</title>
        {bars.map(({ parts, label, href }, index) => {
          let top = HEIGHT;
          const stack = parts.map(([look, value]) => {
            top -= value * scale;
            return <rect class={look} x={index * STEP} y={top} width={WIDTH} height={value * scale} />;
          });
          const bar = [<title>{label}</title>, stack];
          return href === undefined ? <g>{bar}</g> : <a {...{ href, 'aria-label': label }}>{bar}</a>;
        })}
      </svg>
      <p class="spark-days soft">
        {[bars[0], bars.at(-1)].map((bar) => bar && <span>{dayText(new Date(bar.day))}</span>)}
      </p>
    </>
  );
}
