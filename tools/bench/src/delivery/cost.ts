import type { BenchOptions } from '../bench.js';
import { interleave, lineOf, type Variant } from '../measuring/rounds.js';
import type { Figure } from '../reporting/figure.js';
import { bareLoop } from './bare-loop.js';
import { type RunShape, runDeliveries } from './delivered-run.js';
import type { DeliveryServers } from './delivery-servers.js';
import { seedDestinations } from './seed-destinations.js';

const FULL = { rounds: 5, destinations: 200, changes: 250, concurrency: 256, bareWarmUpMs: 2_000, bareMs: 4_000 };
const QUICK = { rounds: 1, destinations: 10, changes: 10, concurrency: 4, bareWarmUpMs: 100, bareMs: 300 };

/** All workers share these servers, and Redis executes commands on a single core. */
const STORES = ['postgres', 'redis'] as const;
const BARE = 'bare loop';
const WORKER = 'worker';
const REPORTED_DURING = 'worker, changes reported during delivery';

export async function measureCost(servers: DeliveryServers, { quick, say }: BenchOptions): Promise<Figure[]> {
  const extent = quick ? QUICK : FULL;
  const artist = 'flood';
  const { pool, okUrls: urls, box } = servers;
  await seedDestinations(pool, { artist, urls, count: extent.destinations, box });
  const shape = { artist, destinations: extent.destinations, changes: extent.changes };
  const slots = { WEBHOOK_CONCURRENCY: String(extent.concurrency) };
  const worker = (reported: RunShape['reported']): Variant => ({
    name: reported === 'before' ? WORKER : REPORTED_DURING,
    async measure() {
      const plan = { name: 'worker-cost', settings: slots, isBeside: false };
      const result = await runDeliveries(servers, { ...shape, reported }, [plan]);
      return {
        cpuUs: result.workerCpuUsPerDelivery,
        perSecond: result.deliveriesPerSecond,
        perCpuSecond: 1_000_000 / result.workerCpuUsPerDelivery,
        ...Object.fromEntries(
          STORES.map((store) => [`fills ${store}`, result.deliveriesPerSecond / (result.coreShares[store] ?? 0)]),
        ),
        ...prefixed(result.coreShares),
      };
    },
  });
  const bare: Variant = { name: BARE, measure: () => bareLoop(servers, extent) };
  const variants = [bare, worker('before'), worker('during')];
  const rounds = await interleave(variants, extent.rounds, (round) => say(lineOf(round)));

  const workers = [false, true].map((isBeside, index) => ({ name: `worker-${index + 1}`, settings: slots, isBeside }));
  const two = await runDeliveries(servers, { ...shape, changes: shape.changes * 2, reported: 'before' }, workers);
  say(`two workers: perSecond ${two.deliveriesPerSecond.toFixed(0)}, ${sharesText(two.coreShares)}`);

  const cpuPerWebhook = (name: string) => ({ value: rounds.spread('cpuUs', name), unit: 'µs', digits: 0 });
  const ofWorker = (figure: string) => ({ value: rounds.spread(figure, WORKER), digits: 0 });
  return [
    ...variants.map(({ name }) => ({ name: `${name}: CPU time per webhook`, ...cpuPerWebhook(name) })),
    { name: 'CPU time per webhook: worker relative to the bare loop', value: rounds.ratio('cpuUs', WORKER, BARE) },
    { name: 'deliveries per second, one worker on a separate core', ...ofWorker('perSecond'), atLeast: 3_000 },
    {
      name: 'deliveries per second while changes are reported, one worker that shares its cores with everything else',
      value: rounds.spread('perSecond', REPORTED_DURING),
      digits: 0,
    },
    {
      name: 'deliveries per second of worker CPU time',
      ...ofWorker('perCpuSecond'),
      atLeast: 3_000,
    },
    ...STORES.map((store) => ({
      name: `deliveries per second that would fill one core of ${store}`,
      ...ofWorker(`fills ${store}`),
    })),
    {
      name: `deliveries per second with a second worker that shares its cores with everything else (${sharesText(two.coreShares)})`,
      value: two.deliveriesPerSecond,
      digits: 0,
    },
  ];
}

function prefixed(shares: Readonly<Record<string, number>>) {
  return Object.fromEntries(Object.entries(shares).map(([name, share]) => [`core share of ${name}`, share]));
}

function sharesText(shares: Readonly<Record<string, number>>): string {
  return Object.entries(shares)
    .map(([name, share]) => `${name} ${share.toFixed(2)}`)
    .join(', ');
}
