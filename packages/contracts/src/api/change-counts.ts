import { z } from 'zod';

/** What changes are counted by; there may come more. */
export const countsBySchema = z.enum(['day'], { error: 'must be day' });

const count = () => z.int().nonnegative();

export const changeCountsSchema = z
  .object({
    data: z.array(
      z.object({
        day: z
          .string()
          .regex(/^\d{4}-\d{2}-\d{2}$/)
          .describe('A UTC day.'),
        total: count(),
        critical: count(),
        warning: count(),
        info: count(),
      }),
    ),
  })
  .meta({ id: 'ChangeCounts', description: 'Changes by UTC day. Days without a change are there, and hold zeros.' });

export type ChangeCounts = z.infer<typeof changeCountsSchema>;

/** Of a UTC day. */
export interface DayCounts {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly critical: number;
  readonly warning: number;
  readonly info: number;
}

const DAY_MS = 86_400_000;

/** Every day of a range, with zeros for those that were not counted. @param until inclusive. */
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
