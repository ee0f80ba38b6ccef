import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Resolver } from '@artist-watch/address-policy/check-address';
import { createSystemResolver } from '@artist-watch/address-policy/system-resolver';
import { createTelemetry } from '@artist-watch/observability/tracing/open-tracing';
import { monotonicMs as monotonicClock } from '@artist-watch/runtime/clock';
import { type StartedService, stopInOrder } from '@artist-watch/runtime/lifecycle/lifecycle';
import { NO_STORE, startOperationsServer } from '@artist-watch/runtime/lifecycle/operations-server';
import { listen } from '@artist-watch/runtime/settings/start-failure';
import { createProxyServer } from './adapters/proxy-server.js';
import { dialTcp, OpenTunnels } from './adapters/tunnel-host.js';
import { createTunnelJournal } from './adapters/tunnel-journal.js';
import { Connectivity } from './application/connectivity.js';
import type { Dial } from './application/dial.js';
import type { EgressConfig } from './config.js';

const SERVICE = 'egress-proxy';

export interface EgressParts {
  readonly resolve?: Resolver;
  readonly dial?: Dial<Socket>;
  readonly monotonicMs?: () => number;
}

/** @throws StartError if a port is in use. */
export async function compose(
  config: EgressConfig,
  signal: AbortSignal,
  parts: EgressParts = {},
): Promise<StartedService> {
  const { log, metrics, tracing } = await createTelemetry(SERVICE, config);
  const openTunnels = new OpenTunnels(config.EGRESS_MAX_TUNNELS);
  const { EGRESS_CONNECT_TIMEOUT: timeoutMs, LISTEN_HOST: host } = config;
  const dial = parts.dial ?? dialTcp;
  const monotonicMs = parts.monotonicMs ?? monotonicClock;
  // The search list could reveal the names of internal hosts, so it is only used if private addresses are allowed.
  const searchList = config.EGRESS_ALLOW_CIDRS.length === 0 ? { searchList: [] } : {};
  const resolve = parts.resolve ?? createSystemResolver({ timeoutMs, ...searchList });
  const proxy = createProxyServer({
    resolve,
    dial,
    monotonicMs,
    timeoutMs,
    tracing,
    openTunnels,
    connectivity: new Connectivity({
      resolve,
      dial,
      monotonicMs,
      unusedName: () => `artist-watch-${randomUUID()}.com.`,
    }),
    allowCidrs: config.EGRESS_ALLOW_CIDRS,
    journal: createTunnelJournal(log, metrics, () => openTunnels.count),
    clientCidrs: config.EGRESS_CLIENT_CIDRS,
    clientCredentials: config.EGRESS_CLIENT_CREDENTIALS,
    idleTimeoutMs: config.EGRESS_IDLE_TIMEOUT,
    stopping: signal,
  });

  const port = await listen(proxy, { port: config.EGRESS_PORT, host, setting: 'EGRESS_PORT' });
  const operations = await startOperationsServer({
    port: config.OPS_PORT,
    host,
    signal,
    checks: NO_STORE,
    metrics: metrics.registry,
  });

  return {
    addresses: { egress: port, ops: operations.port },
    log,
    shutdownDeadlineMs: config.SHUTDOWN_DEADLINE,
    lingerMs: config.SHUTDOWN_DELAY,
    stop: (forced) =>
      stopInOrder([
        {
          name: 'proxy',
          stop: async () => {
            // The proxy keeps listening while it drains, because workers check it before they blame a receiver.
            await openTunnels.drain(forced);
            const closed = new Promise((resolve) => proxy.close(resolve));
            proxy.closeAllConnections();
            await closed;
          },
        },
        { name: 'traces', stop: () => tracing.shutdown() },
        { name: 'operations server', stop: () => operations.stop() },
      ]),
  };
}
