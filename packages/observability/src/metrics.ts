import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { within } from '@artist-watch/runtime/clock';
import client, { type Counter, type Histogram } from 'prom-client';

export type { Counter, Histogram };

interface MetricOptions<Label extends string> {
  /** Use snake_case and put the unit last, as in `artist_watch_poll_seconds`. Counters end in `_total`. */
  readonly name: `artist_watch_${string}`;
  readonly help: string;
  /** Only use labels with few possible values, never ids, addresses or text from customers. */
  readonly labels?: readonly Label[];
}

interface GaugeOptions<Label extends string> extends MetricOptions<Label> {
  /** Sets the value on each scrape. A gauge that fails or takes longer than 2 s is left out. */
  collect?(gauge: client.Gauge<Label>): void | Promise<void>;
}

interface HistogramOptions<Label extends string> extends MetricOptions<Label> {
  readonly buckets?: readonly number[];
}

/** Covers durations from memory reads (1 ms) to receivers' timeouts (10 s). */
export const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

export interface Metrics {
  readonly registry: client.Registry;
  counter<Label extends string = never>(options: MetricOptions<Label>): Counter<Label>;
  gauge<Label extends string = never>(options: GaugeOptions<Label>): client.Gauge<Label>;
  histogram<Label extends string = never>(options: HistogramOptions<Label>): Histogram<Label>;
}

/** Creates a registry with the process's own metrics. Throws if a name is defined twice. */
export function createMetrics({ service }: { readonly service: string }): Metrics {
  const registry = new client.Registry();
  registry.setDefaultLabels({ service });
  client.collectDefaultMetrics({ register: registry });
  countEventLoopTime(registry);
  reportBuild(registry);

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
      const hasLabels = (options.labels ?? []).length > 0;
      return new client.Gauge<Label>({
        ...base(options),
        ...(collect && {
          collect(this: client.Gauge<Label>) {
            return collectOrOmit(this, hasLabels, collect);
          },
        }),
      });
    },
    histogram: (options) =>
      new client.Histogram({ ...base(options), buckets: [...(options.buckets ?? LATENCY_SECONDS)] }),
  };
}

const COLLECT_TIMEOUT_MS = 2_000;

/** Leaves out a gauge that cannot be read, so that an unavailable database doesn't make the whole scrape fail. */
async function collectOrOmit<Label extends string>(
  gauge: client.Gauge<Label>,
  hasLabels: boolean,
  collect: (gauge: client.Gauge<Label>) => void | Promise<void>,
): Promise<void> {
  try {
    await within(COLLECT_TIMEOUT_MS, Promise.resolve(collect(gauge)), () => {
      throw new Error('timed out');
    });
  } catch {
    if (hasLabels) gauge.reset();
    else gauge.remove();
  }
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

function reportBuild(registry: client.Registry): void {
  new client.Gauge({
    name: 'artist_watch_build_info',
    help: 'Always 1. Labeled with the version, the Git revision (`unknown` if not built as an image) and the Node version.',
    labelNames: ['version', 'revision', 'node_version'],
    registers: [registry],
  }).set(
    {
      version: process.env.ARTIST_WATCH_VERSION || version,
      revision: process.env.ARTIST_WATCH_REVISION || 'unknown',
      node_version: process.versions.node,
    },
    1,
  );
}

function countEventLoopTime(registry: client.Registry): void {
  let before = 0;
  new client.Counter({
    name: 'nodejs_eventloop_active_seconds_total',
    help: 'Seconds that the event loop was busy. The rate of this counter is the utilization of the event loop.',
    registers: [registry],
    collect() {
      const { active } = performance.eventLoopUtilization();
      this.inc(Math.max(0, active - before) / 1_000);
      before = active;
    },
  });
}
