export type MetricType = 'counter' | 'gauge' | 'histogram';

/** A metric as a source file defines it. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  /** Besides `service`, which every series carries. */
  readonly labels: readonly string[];
  /** The services that tell it, sorted. */
  readonly services: readonly string[];
}

/** The names under which Prometheus keeps the series of a metric. */
export function seriesNames({ name, type }: Pick<MetricDefinition, 'name' | 'type'>): readonly string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}
