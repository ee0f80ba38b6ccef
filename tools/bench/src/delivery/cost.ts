import type { BenchOptions } from '../bench.js';
import { interleave, lineOf, ratioOfFigure, spreadOfFigure, type Variant } from '../measuring/rounds.js';
import type { Figure } from '../reporting/figure.js';
import { type BareLoopExtent, bareLoop } from './bare-loop.js';
import { type RunShape, runDeliveries } from './delivered-run.js';
import type { DeliveryServers } from './delivery-servers.js';
import { seedDestinations } from './seed-destinations.js';

export interface CostExtent extends BareLoopExtent {
  readonly rounds: number;
  readonly destinations: number;
  readonly changes: number;
}

const CLIENTS = ['got', 'https'] as const;
/** What all workers share. Redis has one core for its commands, however many there are. */
const STORES = ['postgres', 'redis'] as const;
const REPORTED_MEANWHILE = 'worker, https, changes reported meanwhile';
/** What a delivered webhook costs a worker, and how many it makes in a second, beside a bare loop with the same client. */
export async function measureCost(
  servers: DeliveryServers,
  extent: CostExtent,
  { say }: BenchOptions,
): Promise<Figure[]> {
  const artist = 'flood';
  const urls = servers.receiverUrls.map((url) => `${url}/ok`);
  await seedDestinations(servers.pool, { artist, urls, count: extent.destinations, box: servers.box });
  const shape = { artist, destinations: extent.destinations, changes: extent.changes };
  const slots = { WEBHOOK_CONCURRENCY: String(extent.concurrency) };
  const worker = (client: string, reported: RunShape['reported'] = 'before'): Variant => ({
    name: reported === 'before' ? `worker, ${client}` : REPORTED_MEANWHILE,
    async measure() {
      const settings = { WEBHOOK_SENDER: client, ...slots };
      const plan = { name: `worker-${client}`, settings, isBeside: false };
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
  const bare = (client: string): Variant => ({
    name: `bare loop, ${client}`,
    measure: () => bareLoop(servers, client, urls, extent),
  });
  const variants = [...CLIENTS.flatMap((client) => [bare(client), worker(client)]), worker('https', 'meanwhile')];
  const rounds = await interleave(variants, extent.rounds, (round) => say(lineOf(round)));

  const two = await runDeliveries(
    servers,
    { ...shape, changes: shape.changes * 2, reported: 'before' },
    [false, true].map((isBeside, index) => ({
      name: `worker-${index + 1}`,
      settings: slots,
      isBeside,
    })),
  );
  say(`two workers: perSecond ${two.deliveriesPerSecond.toFixed(0)}, ${sharesText(two.coreShares)}`);

  const cpu = (variant: string) => spreadOfFigure(rounds, variant, 'cpuUs');
  return [
    ...variants.map(({ name }) => ({
      name: `${name}: CPU per webhook`,
      value: cpu(name),
      unit: 'µs',
      digits: 0,
    })),
    {
      name: 'CPU per webhook: worker with https (the default) to the bare loop with got',
      value: ratioOfFigure(rounds, 'cpuUs', 'worker, https', 'bare loop, got'),
      limit: { atMost: 1.5 },
    },
    {
      name: 'CPU per webhook: worker with got to the bare loop with got',
      value: ratioOfFigure(rounds, 'cpuUs', 'worker, got', 'bare loop, got'),
    },
    {
      name: 'deliveries a second, one worker on a core of its own',
      value: spreadOfFigure(rounds, 'worker, https', 'perSecond'),
      digits: 0,
      limit: { atLeast: 3_000 },
    },
    {
      name: 'the same while changes are reported and relayed, on the core of everything else',
      value: spreadOfFigure(rounds, REPORTED_MEANWHILE, 'perSecond'),
      digits: 0,
    },
    {
      name: 'deliveries a second of CPU of the worker, whatever else keeps it waiting',
      value: spreadOfFigure(rounds, 'worker, https', 'perCpuSecond'),
      digits: 0,
      limit: { atLeast: 3_000 },
    },
    ...STORES.map((store) => ({
      name: `deliveries a second that would fill one core of ${store}`,
      value: spreadOfFigure(rounds, 'worker, https', `fills ${store}`),
      digits: 0,
    })),
    {
      name: `deliveries a second, a second worker on the cores of everything else (${sharesText(two.coreShares)})`,
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
