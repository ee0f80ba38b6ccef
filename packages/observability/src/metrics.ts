import { performance } from 'node:perf_hooks';
import { within } from '@artist-watch/runtime/clock';
import client, { type Counter, type Histogram } from 'prom-client';

export type { Counter, Histogram };

interface MetricOptions<Label extends string> {
  /** snake_case with the unit last, counters end in `_total`: `webhook_attempts_total`, `http_request_seconds`. */
  readonly name: string;
  readonly help: string;
  /** Only labels with few values: a result or a route, never an id, an address or anything that a customer chooses. */
  readonly labels?: readonly Label[];
}

interface GaugeOptions<Label extends string> extends MetricOptions<Label> {
  /**
   * Called at each scrape, for values that are read rather than kept up. When it fails, or takes longer than two seconds,
   * the series of this gauge are left out, and all others are reported as always.
   */
  collect?(gauge: client.Gauge<Label>): void | Promise<void>;
}

interface HistogramOptions<Label extends string> extends MetricOptions<Label> {
  /** Upper bounds, in the unit of the name; LATENCY_SECONDS unless given. */
  readonly buckets?: readonly number[];
}

/** From a read out of memory to a receiver that uses up its ten seconds. */
export const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

/** The metrics of one process. */
export interface Metrics {
  /** For the operations server: `/metrics` writes it out. */
  readonly registry: client.Registry;
  counter<Label extends string = never>(options: MetricOptions<Label>): Counter<Label>;
  gauge<Label extends string = never>(options: GaugeOptions<Label>): client.Gauge<Label>;
  histogram<Label extends string = never>(options: HistogramOptions<Label>): Histogram<Label>;
}

/**
 * A registry of its own with the process and event-loop metrics. Every series carries the label `service`.
 * Defining a name twice throws.
 */
export function createMetrics({ service }: { readonly service: string }): Metrics {
  const registry = new client.Registry();
  registry.setDefaultLabels({ service });
  client.collectDefaultMetrics({ register: registry });
  countEventLoopTime(registry);

  const base = <Label extends string>({ name, help, labels = [] }: MetricOptions<Label>) => ({
    name,
    help,
    labelNames: labels,
    registers: [registry],
  });

  return {
    registry,
    counter: (options) => new client.Counter(base(options)),
    gauge: <Label extends string>(options: GaugeOptions<Label>) => {
      const { collect } = options;
      const labelled = (options.labels ?? []).length > 0;
      return new client.Gauge<Label>({
        ...base(options),
        ...(collect && {
          collect(this: client.Gauge<Label>) {
            return collectOrLeaveOut(this, labelled, collect);
          },
        }),
      });
    },
    histogram: (options) =>
      new client.Histogram({ ...base(options), buckets: [...(options.buckets ?? LATENCY_SECONDS)] }),
  };
}

const COLLECT_WITHIN_MS = 2_000;

/** A database that is away must not keep a process from reporting how it is. */
async function collectOrLeaveOut<Label extends string>(
  gauge: client.Gauge<Label>,
  labelled: boolean,
  collect: (gauge: client.Gauge<Label>) => void | Promise<void>,
): Promise<void> {
  try {
    await within(COLLECT_WITHIN_MS, Promise.resolve(collect(gauge)), () => {
      throw new Error('too late');
    });
  } catch {
    if (labelled) gauge.reset();
    else gauge.remove();
  }
}

/**
 * The time that the event loop was busy, as a counter: its rate is the share of one core that JavaScript keeps busy (1 is
 * a loop that never rests), over whatever span is asked for and for however many scrapers.
 */
function countEventLoopTime(registry: client.Registry): void {
  let before = 0;
  new client.Counter({
    name: 'nodejs_eventloop_active_seconds_total',
    help: 'Seconds that the event loop was busy. The rate is the utilization.',
    registers: [registry],
    collect() {
      const { active } = performance.eventLoopUtilization();
      this.inc(Math.max(0, active - before) / 1_000);
      before = active;
    },
  });
}
