import { z } from 'zod';
import { oneOf } from './enums.js';

export const countsBySchema = oneOf(['day']);

const count = () => z.int().nonnegative();

export const changeCountsSchema = z
  .object({
    data: z.array(
      z.object({
        day: z.string().meta({ format: 'date', example: '2026-05-01', description: 'UTC.' }),
        total: count(),
        critical: count(),
        warning: count(),
        info: count(),
      }),
    ),
  })
  .meta({ id: 'ChangeCounts', description: 'Number of changes per UTC day. Days without changes have zeros.' });

export type ChangeCounts = z.infer<typeof changeCountsSchema>;

export interface DayCounts {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly critical: number;
  readonly warning: number;
  readonly info: number;
}

const DAY_MS = 86_400_000;

/** Returns every UTC day from `since` through `until`. Days without changes contain zeros. */
export function everyDay(counted: readonly DayCounts[], since: Date, until: Date): ChangeCounts['data'] {
  const byDay = new Map(counted.map((counts) => [counts.day, counts]));
  const days: ChangeCounts['data'] = [];
  const first = Math.floor(since.getTime() / DAY_MS) * DAY_MS;
  for (let at = first; at <= until.getTime(); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    const { critical = 0, warning = 0, info = 0 } = byDay.get(day) ?? {};
    days.push({ day, total: critical + warning + info, critical, warning, info });
  }
  return days;
}
