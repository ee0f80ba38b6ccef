import type { Logger } from '@artist-watch/observability/logger';
import type { Metrics } from '@artist-watch/observability/metrics';
import type { Refusal } from '../application/dial.js';

export type TunnelEnd = 'finished' | 'client_lost' | 'destination_lost' | 'idle' | 'drained';

export interface TunnelRecord {
  /** The host as the client wrote it. Undefined if it could not be parsed. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly traceId: string | undefined;
  readonly outcome:
    | { readonly kind: 'opened'; readonly address: string; readonly end: TunnelEnd }
    /** `detail` is never sent to the client. */
    | { readonly kind: 'refused'; readonly refusal: Refusal; readonly detail?: string | undefined }
    | { readonly kind: 'client_gone' };
  /** Milliseconds until the connection was opened or the request was rejected. */
  readonly openMs: number;
  readonly totalMs: number;
  readonly bytesToDestination: number;
  readonly bytesFromDestination: number;
}

export type MissingRight = 'address' | 'credentials';

export type TunnelJournal = ReturnType<typeof createTunnelJournal>;

export function createTunnelJournal(log: Logger, metrics: Metrics, openTunnels: () => number) {
  const tunnels = metrics.counter({
    name: 'artist_watch_egress_tunnels_total',
    help: 'Requested tunnels, by result: `opened`, `client_gone` (the client disconnected first), or the reason for the refusal.',
    labels: ['result'],
  });
  const ends = metrics.counter({
    name: 'artist_watch_egress_tunnel_ends_total',
    help: 'Closed tunnels, by reason.',
    labels: ['end'],
  });
  const bytes = metrics.counter({
    name: 'artist_watch_egress_bytes_total',
    help: 'Bytes forwarded through tunnels, counted when a tunnel closes.',
    labels: ['direction'],
  });
  const openSeconds = metrics.histogram({
    name: 'artist_watch_egress_open_seconds',
    help: 'Seconds from a CONNECT request until the connection to the destination is open.',
  });
  const clientsRefused = metrics.counter({
    name: 'artist_watch_egress_clients_refused_total',
    help: 'Requests from clients that may not use this proxy, by reason: `address` (the IP address is not allowed) or `credentials` (missing or invalid).',
    labels: ['lack'],
  });
  metrics.gauge({
    name: 'artist_watch_egress_open_tunnels',
    help: 'Tunnels that are open or being opened.',
    collect: (gauge) => gauge.set(openTunnels()),
  });

  return {
    clientRefused(lack: MissingRight, remoteAddress: string | undefined): void {
      clientsRefused.inc({ lack });
      log.warn('client.refused', { lack, remoteAddress });
    },
    ended({ host, port, traceId, outcome, openMs, totalMs, bytesToDestination, bytesFromDestination }: TunnelRecord) {
      const where = { host, port, trace_id: traceId };
      const times = { openMs: Math.round(openMs), totalMs: Math.round(totalMs) };
      switch (outcome.kind) {
        case 'opened': {
          const { address, end } = outcome;
          tunnels.inc({ result: 'opened' });
          ends.inc({ end });
          openSeconds.observe(openMs / 1_000);
          bytes.inc({ direction: 'to_destination' }, bytesToDestination);
          bytes.inc({ direction: 'from_destination' }, bytesFromDestination);
          log.info('tunnel.closed', { ...where, address, end, ...times, bytesToDestination, bytesFromDestination });
          break;
        }
        case 'client_gone':
          tunnels.inc({ result: 'client_gone' });
          log.info('tunnel.abandoned', { ...where, ...times });
          break;
        case 'refused': {
          const { refusal: reason, detail } = outcome;
          tunnels.inc({ result: reason });
          const isOurFault = reason === 'overloaded' || reason === 'internal';
          log[isOurFault ? 'warn' : 'info']('tunnel.refused', { ...where, reason, detail, ...times });
          break;
        }
      }
    },
  };
}
