import type { Socket } from 'node:net';
import { parseTraceparent, type Tracing } from '@artist-watch/observability/tracing/tracing';
import { onAbort } from '@artist-watch/runtime/abort';
import type { Refusal } from '../application/dial-failure.js';
import type { Reached, Target } from '../application/reach-target.js';
import type { TunnelEnd, TunnelJournal, TunnelRecord } from './tunnel-journal.js';

export interface Passage {
  /** Resolves when both sides are closed. Never rejects. */
  readonly ended: Promise<TunnelEnd>;
  cut(end: TunnelEnd): void;
}

export interface TunnelRequest {
  /** The target of the tunnel. Undefined if the request could not be parsed. */
  readonly target: Target | undefined;
  readonly client: Socket;
  /** The client's traceparent (W3C Trace Context). It is not forwarded to the destination. */
  readonly traceparent?: string | undefined;
  refuse(refusal: Refusal): void;
  /** Starts to forward bytes between the client and the opened connection. */
  pass(destination: Socket): Passage;
}

export interface TunnelHostOptions {
  readonly reach: (target: Target, clientGone: AbortSignal) => Promise<Reached<Socket>>;
  readonly tracing: Tracing;
  readonly openTunnels: OpenTunnels;
  readonly journal: TunnelJournal;
}

/** Counts a tunnel, opens or rejects it, forwards its bytes, and logs it once when it ends. Never rejects. */
export async function serveTunnel(
  request: TunnelRequest,
  { reach, tracing, openTunnels, journal }: TunnelHostOptions,
): Promise<void> {
  const { target, traceparent } = request;
  const beganAtMs = performance.now();
  const tunnel = openTunnels.begin();
  const run: TunnelRun = { beganAtMs, openMs: 0, destination: undefined };
  let outcome: TunnelRecord['outcome'];
  try {
    if (!target) outcome = refused('bad_request');
    else if (!tunnel) outcome = refused('overloaded');
    else {
      const traced = (gone: AbortSignal) => traceReach(tracing, target, traceparent, () => reach(target, gone));
      outcome = await open(request, traced, tunnel, run);
    }
  } catch (error) {
    run.destination?.destroy();
    outcome = refused('internal', String(error));
  }
  if (outcome.kind === 'refused') request.refuse(outcome.refusal);
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
  { client, pass }: TunnelRequest,
  reach: (clientGone: AbortSignal) => Promise<Reached<Socket>>,
  tunnel: OpenTunnel,
  run: TunnelRun,
): Promise<TunnelRecord['outcome']> {
  const gone = new AbortController();
  const onClose = () => gone.abort();
  client.once('close', onClose);
  if (client.destroyed) onClose();
  tunnel.cut = () => client.destroy();

  const reached = await reach(gone.signal);
  client.off('close', onClose);
  run.openMs = performance.now() - run.beganAtMs;
  switch (reached.kind) {
    case 'client_gone':
      return reached;
    case 'refused':
      return refused(reached.refusal, reached.detail);
    case 'opened': {
      if (gone.signal.aborted) {
        reached.connection.destroy();
        return { kind: 'client_gone' };
      }
      run.destination = reached.connection;
      const passage = pass(reached.connection);
      tunnel.cut = passage.cut;
      return { kind: 'opened', address: reached.address.text, end: await passage.ended };
    }
  }
}

interface TunnelRun {
  readonly beganAtMs: number;
  openMs: number;
  destination: Socket | undefined;
}

function refused(refusal: Refusal, detail?: string): Extract<TunnelRecord['outcome'], { kind: 'refused' }> {
  return { kind: 'refused', refusal, detail };
}

/** Traces the lookup and the connection as a span in the client's trace. */
function traceReach(
  tracing: Tracing,
  { hostText, port }: Target,
  traceparent: string | undefined,
  reach: () => Promise<Reached<Socket>>,
): Promise<Reached<Socket>> {
  const attributes = { 'server.address': hostText, 'server.port': port };
  return tracing.span('egress.open', { kind: 'server', parent: traceparent ?? null, attributes }, async (span) => {
    const reached = await reach();
    span.set({ 'egress.result': reached.kind === 'refused' ? reached.refusal : reached.kind });
    if (reached.kind === 'refused') span.fail(reached.refusal);
    return reached;
  });
}

/** A tunnel that is open or being opened. */
interface OpenTunnel {
  /** Cuts both sides immediately. */
  cut: (end: TunnelEnd) => void;
}

/** Counts the open tunnels. Accepts no new ones above the limit or during a shutdown. */
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

  /** Adds a tunnel. Returns undefined if the limit is reached or this proxy is about to stop. */
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

  /**
   * Accepts no more tunnels. Resolves when all tunnels have ended. When `forced` is aborted, cuts the remaining ones.
   */
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
