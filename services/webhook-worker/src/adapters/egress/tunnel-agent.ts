import { Agent, type AgentOptions, type ClientRequest, type ClientRequestArgs } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { noTracing, type Tracing } from '@artist-watch/observability/tracing/tracing';
import { openTunnel, type TunnelTarget, withoutBrackets } from './open-tunnel.js';
import type { ProxyHealth } from './proxy-health.js';
import type { ProxyLookups } from './proxy-lookups.js';
import { type TlsState, tlsOverTunnel } from './tls-over-tunnel.js';
import { rememberPeer, TunnelError } from './tunnel-error.js';

export interface TunnelAgentOptions {
  readonly proxy: URL;
  readonly protocol: 'http:' | 'https:';
  /** For the tunnel and the TLS handshake together. */
  readonly connectTimeoutMs: number;
  /** Finds the addresses behind the proxy's name. */
  readonly lookup: LookupFunction;
  readonly health: ProxyHealth;
  /** What is known of the proxy's name servers. */
  readonly lookups: ProxyLookups;
  /** How long a tunnel is kept that nobody uses; shorter when the receiver says so (`Keep-Alive: timeout=`). */
  readonly idleTimeoutMs: number;
  /**
   * How old a tunnel may be that is used once more: a proxy that stops can wait for the end of each. Each gets an age of
   * its own in the second half of it, or those that were opened by one change would all be opened anew by another.
   */
  readonly maxAgeMs: number;
  readonly idleTunnels: IdleTunnels;
  readonly tls: TlsState;
  /** None unless given. */
  readonly tracing?: Tracing;
}

/** A receiver that was slow to be reached still gets to shake hands. */
const SHORTEST_HANDSHAKE_MS = 500;

/**
 * An HTTP agent whose connections are tunnels through one proxy, kept alive and reused for the same receiver.
 *
 * Node's agent does the pooling; this class only makes the connections, so that each way of failing has its name
 * (proxy-agent and its kin lose the proxy's answer, or hand it on as the receiver's).
 */
export class TunnelAgent extends Agent {
  /** Node compares it with the request's. */
  readonly protocol: string;
  /** Node takes it for addresses that name none, before anybody else is asked; without it, that of http for https too. */
  readonly defaultPort: number;
  readonly #options: TunnelAgentOptions;
  readonly #lastUseByMs = new WeakMap<Duplex, number>();

  constructor(options: TunnelAgentOptions) {
    const pooling: AgentOptions = {
      keepAlive: true,
      scheduling: 'lifo',
      maxSockets: Number.POSITIVE_INFINITY,
      // Of one receiver; those of all of them are bounded below.
      maxFreeSockets: Number.POSITIVE_INFINITY,
      timeout: options.idleTimeoutMs,
    };
    super(pooling);
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
        socket.once('close', () => this.#options.idleTunnels.giveBack(socket));
        onCreated(null, socket);
      },
      (error: Error) => onCreated(error, undefined as never),
    );
    return undefined;
  }

  /** Node asks whether a connection is to be kept whose request is over. */
  override keepSocketAlive(socket: Duplex): boolean {
    if (performance.now() > (this.#lastUseByMs.get(socket) ?? 0)) return false;
    // Its type says that it returns nothing.
    const mayKeep = super.keepSocketAlive(socket) as unknown as boolean;
    if (mayKeep) this.#options.idleTunnels.keep(socket);
    return mayKeep;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    this.#options.idleTunnels.giveBack(socket);
    super.reuseSocket(socket, request);
  }

  async #connect(target: TunnelTarget): Promise<Duplex> {
    const { proxy, protocol, connectTimeoutMs, lookup, health, lookups, tls, tracing = noTracing } = this.#options;
    const startedAtMs = performance.now();
    let peer: string | undefined;
    const onConnected = (connection: Socket) => {
      peer = connection.remoteAddress;
      health.opened(connection);
    };
    const attributes = { 'egress.proxy': proxy.host, 'server.address': target.host, 'server.port': target.port };
    try {
      const tunnel = await tracing.span('egress.connect', { kind: 'client', attributes }, ({ traceparent }) =>
        openTunnel(proxy, target, { timeoutMs: connectTimeoutMs, lookup, traceparent, onConnected }),
      );
      lookups.opened(target.host);
      tunnel.setNoDelay(true);
      const leftMs = Math.max(connectTimeoutMs - (performance.now() - startedAtMs), SHORTEST_HANDSHAKE_MS);
      const socket = protocol === 'http:' ? tunnel : await tlsOverTunnel(tunnel, target, leftMs, tls);
      rememberPeer(socket, peer);
      return socket;
    } catch (thrown) {
      const error = lookups.failed(target.host, thrown);
      if (error instanceof TunnelError) error.peer = peer;
      throw error;
    }
  }
}

/**
 * Bounds the tunnels that are kept though nobody uses them, over all receivers and proxies: each takes a file descriptor.
 * Node's agents bound them for each receiver only, and one change may go to a hundred thousand.
 */
export class IdleTunnels {
  readonly #idle = new Set<Duplex>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * It is kept from now on, until it is given back. Beyond the bound the one goes that has been idle for longest: a change
   * to thousands of receivers must not take the tunnels of those that are sent to all the time.
   */
  keep(tunnel: Duplex): void {
    if (this.#idle.size >= this.#max) {
      const [oldest] = this.#idle;
      if (oldest) {
        this.#idle.delete(oldest);
        oldest.destroy();
      }
    }
    this.#idle.add(tunnel);
  }

  /** It is used again, or closed. */
  giveBack(tunnel: Duplex): void {
    this.#idle.delete(tunnel);
  }
}
