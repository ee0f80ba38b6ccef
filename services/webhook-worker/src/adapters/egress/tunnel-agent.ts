import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { EgressError } from '@artist-watch/domain/delivery/attempt-errors';
import { LookupHealth } from '@artist-watch/domain/delivery/lookup-health';
import { translateProxyReason } from '@artist-watch/domain/delivery/proxy-dialects';
import { noTracing, type Tracing } from '@artist-watch/observability/tracing/tracing';
import {
  openTunnel,
  type ProxyEndpoint,
  peers,
  TunnelError,
  type TunnelTarget,
  withoutBrackets,
} from './open-tunnel.js';
import type { ProxyHealth } from './proxy-health.js';
import type { ReceiverTls } from './tls-over-tunnel.js';

export interface TunnelAgentOptions {
  readonly proxy: ProxyEndpoint;
  readonly protocol: 'http:' | 'https:';
  /** Maximum time for the tunnel and the TLS handshake combined. */
  readonly connectTimeoutMs: number;
  readonly health: ProxyHealth;
  readonly lookups: ProxyLookups;
  /** A receiver can shorten the idle time with `Keep-Alive: timeout=`. */
  readonly idleTimeoutMs: number;
  /**
   * Without a maximum age, a tunnel could keep a stopping proxy alive forever. Each tunnel gets a random limit between
   * half this value and the full value, so that tunnels don't all close at the same time.
   */
  readonly maxAgeMs: number;
  readonly idleTunnels: IdleTunnels;
  readonly tls: ReceiverTls;
  readonly tracing?: Tracing;
}

/** The handshake always gets at least this much time, even if opening the tunnel was slow. */
const MIN_HANDSHAKE_MS = 500;

/**
 * Opens tunnels itself, because packages such as proxy-agent either drop the proxy's response or return it as if it
 * came from the receiver.
 */
export class TunnelAgent extends Agent {
  readonly protocol: string;
  /** Without a default port, Node would use port 80 for https as well. */
  readonly defaultPort: number;
  readonly #options: TunnelAgentOptions;
  readonly #lastUseByMs = new WeakMap<Duplex, number>();

  constructor(options: TunnelAgentOptions) {
    // Node's limit of idle sockets applies to each receiver, so IdleTunnels limits the total.
    const maxFreeSockets = Number.POSITIVE_INFINITY;
    super({ keepAlive: true, scheduling: 'lifo', maxFreeSockets, timeout: options.idleTimeoutMs });
    this.protocol = options.protocol;
    this.defaultPort = options.protocol === 'https:' ? 443 : 80;
    this.#options = options;
  }

  override createConnection(
    request: ClientRequestArgs,
    onCreated: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const target = {
      host: withoutBrackets(request.host ?? 'localhost'),
      port: Number(request.port) || this.defaultPort,
    };
    this.#connect(target).then(
      (socket) => {
        this.#lastUseByMs.set(socket, performance.now() + (this.#options.maxAgeMs * (1 + Math.random())) / 2);
        socket.once('close', () => this.#options.idleTunnels.delete(socket));
        onCreated(null, socket);
      },
      (error: Error) => onCreated(error, undefined as never),
    );
    return undefined;
  }

  /** Node calls this after a request. Returns true if the connection stays open. */
  override keepSocketAlive(socket: Duplex): boolean {
    if (performance.now() > (this.#lastUseByMs.get(socket) ?? 0)) return false;
    // The type says void, but Node returns a boolean.
    const mayKeep = super.keepSocketAlive(socket) as unknown as boolean;
    if (mayKeep) this.#options.idleTunnels.add(socket);
    return mayKeep;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    this.#options.idleTunnels.delete(socket);
    super.reuseSocket(socket, request);
  }

  async #connect(target: TunnelTarget): Promise<Duplex> {
    const { proxy, protocol, connectTimeoutMs, health, lookups, tls, tracing = noTracing } = this.#options;
    const startedAtMs = performance.now();
    let peer: string | undefined;
    const onConnected = (connection: Socket) => {
      peer = connection.remoteAddress;
      health.trackConnection(connection);
    };
    const attributes = { 'egress.proxy': proxy.name, 'server.address': target.host, 'server.port': target.port };
    try {
      const tunnel = await tracing.span('egress.connect', { kind: 'client', attributes }, ({ traceparent }) =>
        openTunnel(proxy, target, { timeoutMs: connectTimeoutMs, traceparent, onConnected }),
      );
      lookups.reportOpened(target.host);
      tunnel.setNoDelay(true);
      const remainingMs = Math.max(connectTimeoutMs - (performance.now() - startedAtMs), MIN_HANDSHAKE_MS);
      const socket = protocol === 'http:' ? tunnel : await tls.connect(tunnel, target, remainingMs);
      peers.set(socket, peer);
      return socket;
    } catch (thrown) {
      const error = lookups.reportFailed(target.host, thrown);
      if (error instanceof TunnelError) error.peer = peer;
      throw error;
    }
  }
}

/** Limits the number of idle tunnels across all receivers and proxies, because each one uses a file descriptor. */
export class IdleTunnels extends Set<Duplex> {
  constructor(readonly max: number) {
    super();
  }

  /** If the pool is full, closes the tunnel that has been idle the longest. */
  override add(tunnel: Duplex): this {
    const [oldest] = this.size >= this.max ? this : [];
    if (oldest && this.delete(oldest)) oldest.destroy();
    return super.add(tunnel);
  }
}

const RESOLVED: ReadonlySet<EgressError> = new Set([
  'name_not_found',
  'forbidden_address',
  'connection_refused',
  'connection_timed_out',
  'connection_failed',
]);

/**
 * Detects proxies that can't resolve any names. The error code doesn't reveal this, because Smokescreen and Squid
 * report the same error when only a single name can't be resolved.
 */
export class ProxyLookups {
  readonly #health = new LookupHealth();

  reportOpened(host: string): void {
    if (needsNameServer(host)) this.#health.answered();
  }

  /** Returns the error, or `proxy_cannot_resolve` if the proxy's name servers are to blame. */
  reportFailed(host: string, error: unknown): unknown {
    if (!(error instanceof TunnelError) || !needsNameServer(host)) return error;
    const { result } = error;
    if (result.kind !== 'proxy_answered_connect') return error;
    const { reason, reasonSource, status } = result;
    if (reason === undefined || reasonSource === undefined || reasonSource === 'x-egress-error') return error;
    const cause = translateProxyReason(reasonSource, reason, status);
    if (cause !== null && RESOLVED.has(cause)) this.#health.answered();
    const isProxyToBlame = cause === 'name_lookup_failed' && this.#health.failed(host);
    return isProxyToBlame ? new TunnelError({ kind: 'proxy_cannot_resolve' }) : error;
  }
}

/** Proxies resolve names without a dot locally, without querying a name server. */
function needsNameServer(host: string): boolean {
  return isIP(host) === 0 && host.includes('.');
}
