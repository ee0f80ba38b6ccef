import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { TunnelJournal, TunnelRecord } from '../application/ports.js';

/** One log line and the metrics of each tunnel. */
export function createTunnelJournal(log: Logger, metrics: Metrics, openTunnels: () => number): TunnelJournal {
  const tunnels = metrics.counter({
    name: 'egress_tunnels_total',
    help: 'Tunnels and forwarded requests by result: opened, client_gone, or the reason of the refusal.',
    labels: ['form', 'result'],
  });
  const ends = metrics.counter({
    name: 'egress_tunnel_ends_total',
    help: 'Tunnels that were open, by how they ended.',
    labels: ['form', 'end'],
  });
  const bytes = metrics.counter({
    name: 'egress_bytes_total',
    help: 'Bytes passed on, counted when a tunnel ends.',
    labels: ['direction'],
  });
  const openSeconds = metrics.histogram({
    name: 'egress_open_seconds',
    help: 'From a request to its open connection.',
    labels: ['form'],
  });
  metrics.gauge({
    name: 'egress_open_tunnels',
    help: 'Tunnels and forwarded requests that are open or being opened.',
    collect: (gauge) => gauge.set(openTunnels()),
  });

  return {
    ended(record) {
      const { form, outcome } = record;
      tunnels.inc({ form, result: outcome.kind === 'refused' ? outcome.refusal : outcome.kind });
      if (outcome.kind === 'opened') {
        ends.inc({ form, end: outcome.end });
        openSeconds.observe({ form }, record.openMs / 1_000);
        bytes.inc({ direction: 'to_destination' }, record.bytesToDestination);
        bytes.inc({ direction: 'from_destination' }, record.bytesFromDestination);
      }
      writeLine(log, record);
    },
  };
}

function writeLine(log: Logger, { form, host, port, traceId, outcome, ...figures }: TunnelRecord): void {
  const where = { form, host, port, trace_id: traceId };
  const times = { openMs: Math.round(figures.openMs), totalMs: Math.round(figures.totalMs) };
  switch (outcome.kind) {
    case 'opened': {
      const { bytesToDestination, bytesFromDestination } = figures;
      const { address, end } = outcome;
      log.info('tunnel.closed', { ...where, address, end, ...times, bytesToDestination, bytesFromDestination });
      break;
    }
    case 'client_gone':
      log.info('tunnel.abandoned', { ...where, ...times });
      break;
    case 'refused': {
      const isOurTrouble = outcome.refusal === 'overloaded' || outcome.refusal === 'internal';
      log[isOurTrouble ? 'warn' : 'info']('tunnel.refused', {
        ...where,
        reason: outcome.refusal,
        detail: outcome.detail,
        ...times,
      });
      break;
    }
  }
}
