import type { Socket } from 'node:net';
import { parseTraceparent } from '@artist-watch/observability/tracing/tracing';
import type { TunnelEnd, TunnelJournal, TunnelRecord } from '../application/ports.js';
import type { Reached, Target } from '../application/reach-target.js';
import type { Refusal } from '../application/refusal.js';
import type { OpenTunnel, OpenTunnels } from './open-tunnels.js';

export interface Passage {
  /** Resolves when both sides are done with; never rejects. */
  readonly ended: Promise<TunnelEnd>;
  cut(end: TunnelEnd): void;
}

export interface TunnelRequest {
  /** Undefined when the request could not be read. */
  readonly target: Target | undefined;
  readonly client: Socket;
  /** The place in a trace that the client named (W3C Trace Context); it goes no further than this proxy. */
  readonly traceparent?: string | undefined;
  refuse(refusal: Refusal): void;
  /** Joins the client with what was opened for it. */
  pass(destination: Socket): Passage;
}

export interface TunnelHostOptions {
  readonly reach: (
    target: Target,
    clientGone: AbortSignal,
    traceparent: string | undefined,
  ) => Promise<Reached<Socket>>;
  readonly openTunnels: OpenTunnels;
  readonly journal: TunnelJournal;
}

/** The life of a tunnel: counted, opened or refused, passed, and logged once at its end. Never rejects. */
export async function serveTunnel(
  request: TunnelRequest,
  { reach, openTunnels, journal }: TunnelHostOptions,
): Promise<void> {
  const { target } = request;
  const beganAtMs = performance.now();
  const tunnel = openTunnels.begin();
  const run: TunnelRun = { beganAtMs, openMs: 0, destination: undefined };
  let outcome: TunnelRecord['outcome'];
  try {
    if (!target) outcome = refused('bad_request');
    else if (!tunnel) outcome = refused('overloaded');
    else outcome = await open(request, (gone) => reach(target, gone, request.traceparent), tunnel, run);
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
    traceId: parseTraceparent(request.traceparent)?.traceId,
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
