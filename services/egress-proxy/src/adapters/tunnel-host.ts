import { type ServerResponse, STATUS_CODES } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { EGRESS_ERRORS } from '@artist-watch/domain/delivery/attempt-errors';
import { parseTraceparent, type Tracing } from '@artist-watch/observability/tracing/tracing';
import { onAbort } from '@artist-watch/runtime/clock';
import { type Dial, DialFailure, kindOf, type Refusal } from '../application/dial.js';
import { ClientGone, type ReachOptions, reachTarget, type Target } from '../application/reach-target.js';
import type { MissingRight, TunnelEnd, TunnelJournal, TunnelRecord } from './tunnel-journal.js';

const STATUS_BY_REFUSAL: Readonly<Record<Refusal, number>> = {
  bad_request: 400,
  forbidden_address: 403,
  forbidden_port: 403,
  internal: 500,
  name_not_found: 502,
  name_lookup_failed: 502,
  connection_refused: 502,
  connection_failed: 502,
  overloaded: 503,
  connection_timed_out: 504,
};

const LINGER_MS = 2_000;

export function refuseOnSocket(socket: Duplex, refusal: Refusal, status = STATUS_BY_REFUSAL[refusal]): void {
  answerOnSocket(socket, status, headersFor(refusal), bodyFor(refusal));
}

/** Omits `X-Egress-Error`, so that workers don't count the rejection against the receiver. */
export function refuseClient(socket: Duplex, lack: MissingRight): void {
  if (lack === 'address') {
    answerOnSocket(socket, 403, PLAIN, 'This IP address is not allowed to use this proxy.\n');
  } else {
    const headers = { 'Proxy-Authenticate': 'Basic realm="egress", charset="UTF-8"', ...PLAIN };
    answerOnSocket(socket, 407, headers, 'Send the credentials for this proxy in the Proxy-Authorization header.\n');
  }
}

function answerOnSocket(socket: Duplex, status: number, headers: Readonly<Record<string, string>>, body: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Closing a socket while it has unread bytes would reset the connection, and the client might lose the response.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
}

export function refuseOnResponse(
  response: ServerResponse,
  refusal: Refusal,
  status = STATUS_BY_REFUSAL[refusal],
): void {
  const body = bodyFor(refusal);
  response.sendDate = false;
  const headers = { ...headersFor(refusal), 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, STATUS_CODES[status], headers);
  response.end(body);
}

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' } as const;

function headersFor(refusal: Refusal): Record<string, string> {
  return { 'X-Egress-Error': refusal, ...PLAIN };
}

/** The body reveals nothing about the host, its addresses or its services. */
function bodyFor(refusal: Refusal): string {
  return `${EGRESS_ERRORS[refusal].reason}\n`;
}

export interface TunnelRequest {
  readonly target: Target | undefined;
  readonly client: Socket;
  readonly head: Buffer;
  /** The client's traceparent (W3C Trace Context). It is not forwarded. */
  readonly traceparent: string | undefined;
}

export interface TunnelHostOptions extends ReachOptions<Socket> {
  readonly tracing: Tracing;
  readonly openTunnels: OpenTunnels;
  readonly journal: TunnelJournal;
  /** A tunnel is closed after this long without traffic. */
  readonly idleTimeoutMs: number;
}

const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n';

/** Opens or refuses a tunnel, forwards its bytes, and logs when it closes. The promise never rejects. */
export async function serveTunnel(request: TunnelRequest, options: TunnelHostOptions): Promise<void> {
  const { target, client, traceparent } = request;
  const { openTunnels, journal } = options;
  const beganAtMs = performance.now();
  const tunnel = openTunnels.begin();
  const run: TunnelRun = { beganAtMs, openMs: 0, destination: undefined };
  let outcome: TunnelRecord['outcome'];
  try {
    if (!target) outcome = { kind: 'refused', refusal: 'bad_request' };
    else if (!tunnel) outcome = { kind: 'refused', refusal: 'overloaded' };
    else outcome = await open(target, request, options, tunnel, run);
  } catch (error) {
    run.destination?.destroy();
    outcome = { kind: 'refused', refusal: 'internal', detail: String(error) };
  }
  if (outcome.kind === 'refused') refuseOnSocket(client, outcome.refusal);
  if (tunnel) openTunnels.end(tunnel);
  const totalMs = performance.now() - beganAtMs;
  journal.ended({
    host: target?.hostText,
    port: target?.port,
    traceId: parseTraceparent(traceparent)?.traceId,
    outcome,
    openMs: run.openMs || totalMs,
    totalMs,
    bytesToDestination: run.destination?.bytesWritten ?? 0,
    bytesFromDestination: run.destination?.bytesRead ?? 0,
  });
}

async function open(
  target: Target,
  { client, head, traceparent }: TunnelRequest,
  options: TunnelHostOptions,
  tunnel: OpenTunnel,
  run: TunnelRun,
): Promise<TunnelRecord['outcome']> {
  const stop = new AbortController();
  const onClose = () => stop.abort(new ClientGone());
  client.once('close', onClose);
  if (client.destroyed) onClose();
  tunnel.cut = () => client.destroy();

  const attributes = { 'server.address': target.hostText, 'server.port': target.port };
  const spanOptions = { kind: 'server', parent: traceparent ?? null, attributes } as const;
  const reached = await options.tracing.span('egress.open', spanOptions, async (span) => {
    const result = await reachTarget(target, options, stop);
    span.set({ 'egress.result': result.kind === 'refused' ? result.refusal : result.kind });
    if (result.kind === 'refused') span.fail(result.refusal);
    return result;
  });
  client.off('close', onClose);
  run.openMs = performance.now() - run.beganAtMs;
  if (reached.kind !== 'opened') return reached;
  if (client.destroyed) {
    reached.connection.destroy();
    return { kind: 'client_gone' };
  }
  run.destination = reached.connection;
  client.write(ESTABLISHED);
  const passage = joinSockets(client, reached.connection, head, options.idleTimeoutMs);
  tunnel.cut = passage.cut;
  return { kind: 'opened', address: reached.address.text, end: await passage.ended };
}

interface TunnelRun {
  readonly beganAtMs: number;
  openMs: number;
  destination: Socket | undefined;
}

interface OpenTunnel {
  cut: (end: TunnelEnd) => void;
}

export class OpenTunnels {
  readonly #max: number;
  readonly #open = new Set<OpenTunnel>();
  #draining: (() => void) | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Returns undefined if the limit is reached or the proxy is stopping. */
  begin(): OpenTunnel | undefined {
    if (this.#draining || this.#open.size >= this.#max) return undefined;
    const tunnel: OpenTunnel = { cut: () => undefined };
    this.#open.add(tunnel);
    return tunnel;
  }

  end(tunnel: OpenTunnel): void {
    this.#open.delete(tunnel);
    if (this.#open.size === 0) this.#draining?.();
  }

  /** Resolves when all tunnels have ended. Closes the remaining tunnels when `forced` is aborted. */
  async drain(forced: AbortSignal): Promise<void> {
    const empty = new Promise<void>((resolve) => {
      this.#draining = resolve;
      if (this.#open.size === 0) resolve();
    });
    onAbort(forced, () => {
      for (const tunnel of this.#open) tunnel.cut('drained');
    });
    await empty;
  }
}

/** Keepalive probes detect destinations that have disappeared, and keep NAT entries alive. */
const KEEP_ALIVE_MS = 30_000;

/** Idle timeout once the client has finished sending. It's short because workers close both directions at once. */
const AFTER_CLIENT_END_MS = 1_000;

/** Opens TCP connections to IP addresses, so Node has no names to resolve. */
export const dialTcp: Dial<Socket> = (address, port, signal) =>
  new Promise((resolve, reject) => {
    const socket = connect({
      host: address.text,
      port,
      family: address.family,
      autoSelectFamily: false,
      // Either side may finish sending before the other (RFC 9293 section 3.6).
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    });
    const onAbort = () => {
      socket.destroy();
      reject(signal.reason);
    };
    const onError = (error: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', onAbort);
      reject(new DialFailure(kindOf(error, address.family), { cause: error }));
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      signal.removeEventListener('abort', onAbort);
      socket.off('error', onError);
      // Without a listener, an 'error' event would end the process.
      socket.on('error', () => undefined);
      resolve(socket);
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });

/**
 * Forwards bytes in both directions. When one side finishes sending, the other is half-closed. If one side fails, the
 * other is reset. `ended` resolves when both sides are closed, and never rejects.
 */
function joinSockets(client: Socket, destination: Socket, head: Buffer, idleTimeoutMs: number) {
  let end: TunnelEnd = 'finished';
  const cut = (reason: TunnelEnd) => {
    end = reason;
    client.destroy();
    destination.destroy();
  };

  if (head.length > 0) destination.write(head);
  client.pipe(destination);
  destination.pipe(client);
  // All bytes pass through the destination's socket, so its timeout covers both directions.
  destination.setTimeout(idleTimeoutMs, () => cut('idle'));
  // A destination that ignores the half-close must not occupy a tunnel slot.
  client.once('end', () => destination.setTimeout(Math.min(idleTimeoutMs, AFTER_CLIENT_END_MS)));

  const ended = Promise.all([
    closed(client, destination, () => {
      if (end === 'finished') end = 'client_lost';
    }),
    closed(destination, client, () => {
      if (end === 'finished') end = 'destination_lost';
    }),
  ]).then(() => end);
  return { ended, cut };
}

function closed(socket: Socket, other: Socket, onLost: () => void): Promise<void> {
  return new Promise((resolve) => {
    const onClose = () => {
      resolve();
      if (other.destroyed) return;
      if (socket.readableEnded) {
        other.destroySoon();
      } else {
        onLost();
        other.resetAndDestroy();
      }
    };
    if (socket.closed) onClose();
    else socket.once('close', onClose);
  });
}
