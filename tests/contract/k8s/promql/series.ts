export type Labels = Readonly<Record<string, string>>;

/** One value of an instant vector. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** Values over time, oldest first; instants in seconds. */
export interface Series {
  readonly labels: Labels;
  readonly points: readonly Point[];
}

export interface Point {
  readonly at: number;
  readonly value: number;
}

/** Two samples are of the same series when this is the same. */
export function labelKey(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Series as promtool's tests write them: `0+5x60` is 0 and 60 steps up by 5, `7x60` is 61 times 7, `_` is no value.
 *
 * @param intervalSeconds between two values, the first of which is at 0
 */
export function readSeries(notation: string, values: string, intervalSeconds: number): { name: string } & Series {
  const [, name = '', inBraces = ''] = /^([\w:]+)(?:\{(.*)\})?$/.exec(notation) ?? [];
  const labels = Object.fromEntries([...inBraces.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
  const points = values
    .split(' ')
    .flatMap(expand)
    .map((value, index) => ({ at: index * intervalSeconds, value }))
    .filter((point): point is Point => point.value !== undefined);
  return { name, labels: labels as Labels, points };
}

function expand(text: string): (number | undefined)[] {
  const [, start = '', step, times] = /^(_|-?[\d.]+)([+-][\d.]+)?(?:x(\d+))?$/.exec(text) ?? [];
  if (start === '') throw new Error(`"${text}" is no series of values.`);
  if (start === '_') return new Array(times === undefined ? 1 : Number(times)).fill(undefined);
  return Array.from({ length: Number(times ?? 0) + 1 }, (_, index) => Number(start) + index * Number(step ?? 0));
}
