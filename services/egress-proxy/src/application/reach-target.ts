import { type Resolver, resolveAndCheck } from '@artist-watch/address-policy/check-address';
import { type Cidr, type Host, isAllowedPort, parseHost } from '@artist-watch/address-policy/ip-address';
import { startDeadline } from '@artist-watch/runtime/clock';
import type { Connectivity } from './connectivity.js';
import {
  AllAddressesFailed,
  type Connected,
  type Connection,
  connectToFirst,
  type Dial,
  isRefusal,
  kindOf,
  type Refusal,
  refusalFor,
} from './dial.js';

export interface ReachOptions<Opened extends Connection> {
  readonly resolve: Resolver;
  readonly dial: Dial<Opened>;
  readonly connectivity: Connectivity;
  readonly monotonicMs: () => number;
  readonly allowCidrs: readonly Cidr[];
  readonly timeoutMs: number;
}

export type Reached<Opened> =
  | ({ readonly kind: 'opened' } & Connected<Opened>)
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly detail?: string }
  | { readonly kind: 'client_gone' };

/**
 * Connects to a target if the policy allows its port and all its addresses. Sends nothing to a forbidden address,
 * because a response could reveal an open port. Never throws.
 *
 * @param stop aborted at the timeout, or with ClientGone if the client disconnects.
 */
export async function reachTarget<Opened extends Connection>(
  target: Target,
  options: ReachOptions<Opened>,
  stop: AbortController,
): Promise<Reached<Opened>> {
  if (!isAllowedPort(target.port)) return refused('forbidden_port');
  const deadline = startDeadline(options.timeoutMs, () => stop.abort(new OutOfTime()));
  try {
    return await resolveAndConnect(target, options, stop.signal);
  } catch (error) {
    if (error instanceof ClientGone) return { kind: 'client_gone' };
    return refused('internal', String(error));
  } finally {
    deadline.cancel();
  }
}

export class ClientGone extends Error {}
class OutOfTime extends Error {}

async function resolveAndConnect<Opened extends Connection>(
  target: Target,
  { resolve, dial, connectivity, monotonicMs, allowCidrs }: ReachOptions<Opened>,
  signal: AbortSignal,
): Promise<Reached<Opened>> {
  const resolution = await resolveAndCheck(target.host, { resolve, allowCidrs, signal });
  switch (resolution.kind) {
    case 'lookup_failed':
      return lookupFailed(resolution.cause, connectivity);
    case 'invalid_host':
      return refused('bad_request');
    case 'name_not_found':
      return refused('name_not_found');
    case 'forbidden':
      return refused('forbidden_address', resolution.reason);
    case 'allowed':
      break;
  }
  const { hostText: host, port } = target;
  const beganAtMs = monotonicMs();
  const unreachable = async (refusal: Refusal) =>
    (await connectivity.isNetworkDownFor(host, beganAtMs))
      ? refused('internal', `the network seems to be down: ${refusal}`)
      : refused(refusal);
  try {
    const connected = await connectToFirst(resolution.addresses, port, dial, signal);
    connectivity.reached(host, connected.address, port);
    return { kind: 'opened', ...connected };
  } catch (error) {
    if (error instanceof OutOfTime) return unreachable('connection_timed_out');
    if (!(error instanceof AllAddressesFailed)) throw error;
    const refusal = refusalFor(error.failures);
    const address = error.addresses[error.failures.findIndex(isRefusal)];
    if (address) connectivity.reached(host, address, port);
    else if (refusal === 'connection_timed_out' || refusal === 'connection_failed') return unreachable(refusal);
    return refused(refusal);
  }
}

/** The error code if no name server could be queried. */
const NO_SERVER = 'ECONNREFUSED';

async function lookupFailed(cause: unknown, connectivity: Connectivity): Promise<Reached<never>> {
  if (cause instanceof ClientGone) throw cause;
  const error = cause as NodeJS.ErrnoException;
  // This machine has run out of file descriptors, ports or memory, so the name servers are not to blame.
  if (kindOf(error, 4) === 'exhausted') return refused('overloaded', String(cause));
  return error.code === NO_SERVER || (await connectivity.areNameServersDown())
    ? refused('internal', `the name servers do not respond: ${cause}`)
    : refused('name_lookup_failed', String(cause));
}

function refused(refusal: Refusal, detail?: string): Extract<Reached<never>, { kind: 'refused' }> {
  return { kind: 'refused', refusal, ...(detail === undefined ? {} : { detail }) };
}

export interface Target {
  readonly host: Host;
  readonly hostText: string;
  readonly port: number;
}

/** Request targets only contain visible ASCII characters (RFC 9112 section 3.2). */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const AUTHORITY = /^(\[[^\]]*\]|[^:[\]]+):(\d{1,5})$/;
const MAX_PORT = 65_535;

/** Parses `host:port`. The port is required (RFC 9110 section 9.3.6). Returns undefined if invalid. */
export function parseAuthorityForm(text: string): Target | undefined {
  if (!VISIBLE_ASCII.test(text)) return undefined;
  const [, hostText, portText] = AUTHORITY.exec(text) ?? [];
  if (hostText === undefined || portText === undefined) return undefined;
  const host = parseHost(hostText);
  const port = Number(portText);
  return host.kind === 'invalid' || port > MAX_PORT ? undefined : { host, hostText, port };
}
