import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions } from '../bench.js';
import type { Figure } from '../reporting/figure.js';
import type { DeliveryServers } from './delivery-servers.js';

export interface BareLoopExtent {
  readonly concurrency: number;
  readonly bareWarmUpMs: number;
  readonly bareMs: number;
  readonly isBeside?: boolean;
}

const BODY = JSON.stringify({
  event: 'change.confirmed',
  change_id: 'chg_0192f0c4a1b2000000000000000000000000',
  artist_id: 'art_flood',
  artist: 'flood',
  artist_platform_id: 'flood',
  entity_type: 'release',
  entity_id: 'run-1-100',
  entity_name: 'Night Drive (Deluxe Edition)',
  severity: 'critical',
  change_type: 'release_removed',
  summary: 'The release "Night Drive (Deluxe Edition)" is no longer available.',
  detected_at: 1_780_000_000,
});

export async function bareLoop(
  servers: DeliveryServers,
  { concurrency, bareWarmUpMs, bareMs, isBeside = false }: BareLoopExtent,
): Promise<{ readonly cpuUs: number; readonly perSecond: number }> {
  const loop = await servers.start({
    name: 'bare-loop',
    main: 'tools/bench/dist/delivery/bare-loop-main.js',
    isBeside,
    env: {
      URLS: servers.okUrls.join(','),
      PROXY_URL: servers.proxyUrl,
      CA_FILE: servers.caFile,
      BODY,
      CONCURRENCY: String(concurrency),
    },
  });
  const readUsage = async () => {
    const { cpuMs } = await loop.usage();
    const { posted } = await loop.ask<{ readonly posted: number }>('posted');
    return { cpuMs, posted, atMs: performance.now() };
  };
  await sleep(bareWarmUpMs);
  const first = await readUsage();
  await sleep(bareMs);
  const last = await readUsage();
  await loop.stop();
  const posted = last.posted - first.posted;
  return {
    cpuUs: ((last.cpuMs - first.cpuMs) / posted) * 1_000,
    perSecond: (posted / (last.atMs - first.atMs)) * 1_000,
  };
}

/** Each run includes the bare loop, so that figures from different days can be compared. */
export async function measureReference(servers: DeliveryServers, { quick, say }: BenchOptions): Promise<Figure[]> {
  const lastsMs = quick ? 500 : 2_000;
  const extent = { concurrency: 100, bareWarmUpMs: lastsMs, bareMs: lastsMs };
  const { cpuUs, perSecond } = await bareLoop(servers, extent);
  say(
    `reference: the bare loop posts ${perSecond.toFixed(0)} webhooks per second, with ${cpuUs.toFixed(0)} µs of CPU time each`,
  );
  return [
    { name: 'reference: bare-loop throughput, webhooks per second', value: perSecond, digits: 0 },
    { name: 'reference: bare-loop CPU time per webhook', value: cpuUs, unit: 'µs', digits: 0 },
  ];
}
